/** Text that may contain names of other people: keys, notes, metadata, files. */
import { Children, type ReactNode } from 'react';
import { shownText } from '../../../core/hidden';

/**
 * Shows text with hidden characters escaped, and its direction kept from the text around it.
 * `code`: in the typeface of code.
 */
export function Text(props: { readonly code?: boolean; readonly children: ReactNode }) {
  return (
    <bdi className={props.code ? 'code' : 'text'}>
      {Children.map(props.children, (child) =>
        typeof child === 'string' ? shownText(child) : child,
      )}
    </bdi>
  );
}
