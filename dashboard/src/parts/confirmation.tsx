/** Asks for confirmation of an action that cannot be undone. */
import type { ReactNode } from 'react';
import { FormDialog } from './form-dialog';

export function Confirmation(props: {
  readonly title: string;
  readonly children: ReactNode;
  /** The text of the button that confirms. */
  readonly confirm: string;
  readonly act: () => Promise<void>;
  /** Called after the action. @default `close` */
  readonly done?: () => void;
  readonly close: () => void;
}) {
  const act = async () => {
    await props.act();
    (props.done ?? props.close)();
  };
  return (
    <FormDialog
      title={props.title}
      submit={{ text: props.confirm, act }}
      failure="The action failed"
      close={props.close}
    >
      <div>{props.children}</div>
    </FormDialog>
  );
}
