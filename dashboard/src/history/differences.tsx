/** The differences between a bucket and its state at a cursor, and the restore to that state. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useCallback, useState } from 'react';
import type { RestoredKey } from '../../../client/resources';
import { shownText } from '../../../core/hidden';
import { Confirmation } from '../parts/confirmation';
import { Empty } from '../parts/empty';
import { Failure } from '../parts/failure';
import { countText, plural, sizeText } from '../parts/format';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useSession } from '../session/session-context';
import { compare, type Difference, restoreAll } from './past';

/** Most differences that are listed. */
const MOST_SHOWN = 500;

interface PastProps {
  readonly bucket: string;
  readonly asOf: number;
  readonly prefix: string;
  /** Called after the bucket was restored. */
  readonly restored: () => void;
}

export function Differences(props: PastProps) {
  const { bucket, asOf, prefix } = props;
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const [done, setDone] = useState<Difference>();
  const load = useCallback(
    (signal: AbortSignal) => compare(session, bucket, { asOf, prefix }, signal),
    [session, bucket, asOf, prefix],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const changes = value?.changes ?? [];
  return (
    <SpaceBetween size="m">
      {error !== undefined && (
        <Failure what="The two could not be compared" error={error} retry={reload} />
      )}
      {done && (
        <Alert type="success" statusIconAriaLabel="Success" header="The bucket was brought back">
          {outcomeText(done)}
        </Alert>
      )}
      <Table
        items={changes.slice(0, MOST_SHOWN)}
        trackBy="key"
        wrapLines
        loading={isLoading && value === undefined}
        loadingText="Reading the differences …"
        ariaLabels={{ tableLabel: `Differences from cursor ${asOf}` }}
        columnDefinitions={COLUMNS}
        empty={
          error === undefined && (
            <Empty title="Nothing differs">These keys are now as they were at the cursor.</Empty>
          )
        }
        header={
          <Header
            variant="h2"
            counter={value && `(${countText(changes.length)}${value.isPartial ? '+' : ''})`}
            description={value && `${plural(value.unchanged, 'object')} unchanged since then.`}
            actions={
              <Button
                variant="primary"
                disabled={changes.length === 0}
                onClick={() => setAsking(true)}
              >
                Bring it back
              </Button>
            }
          >
            What would change
          </Header>
        }
        footer={
          changes.length > MOST_SHOWN && (
            <Box variant="small">The first {countText(MOST_SHOWN)} are shown.</Box>
          )
        }
      />
      {isAsking && value && (
        <RestoreDialog
          {...props}
          difference={value}
          done={(outcome) => {
            setAsking(false);
            setDone(outcome);
            props.restored();
            reload();
          }}
          close={() => setAsking(false)}
        />
      )}
    </SpaceBetween>
  );
}

function RestoreDialog(
  props: PastProps & {
    readonly difference: Difference;
    readonly done: (outcome: Difference) => void;
    readonly close: () => void;
  },
) {
  const { bucket, asOf, prefix, difference } = props;
  const session = useSession();
  const [progress, setProgress] = useState<Difference>();
  const act = async () => {
    const outcome = await restoreAll(session, bucket, { asOf, prefix }, { progress: setProgress });
    props.done(outcome);
  };
  const more = difference.isPartial ? 'at least ' : '';
  return (
    <Confirmation
      title={`Bring ${bucket} back to cursor ${countText(asOf)}?`}
      confirm="Bring it back"
      act={act}
      done={() => undefined}
      close={props.close}
    >
      {prefix === '' ? 'This' : `Of the keys that begin with ${shownText(prefix)}, this`} restores{' '}
      {more}
      {plural(difference.restored, 'object')} to the content of then, and deletes {more}
      {plural(difference.deleted, 'object')} created since then. Followers see ordinary changes; go
      back to a later cursor to undo it.
      {progress && <Box variant="p">So far: {outcomeText(progress)}</Box>}
    </Confirmation>
  );
}

function outcomeText({ restored, deleted, failed }: Difference): string {
  const left = failed > 0 ? `, ${plural(failed, 'object')} could not be restored` : '';
  return `${plural(restored, 'object')} restored, ${plural(deleted, 'object')} deleted${left}.`;
}

const COLUMNS: TableProps.ColumnDefinition<RestoredKey>[] = [
  {
    id: 'key',
    header: 'Key',
    isRowHeader: true,
    minWidth: 140,
    cell: ({ key }) => <Text>{key}</Text>,
  },
  {
    id: 'change',
    header: 'Would be',
    minWidth: 150,
    cell: ({ type, version, size }) =>
      type === 'delete' ? (
        <StatusIndicator type="stopped">Deleted</StatusIndicator>
      ) : (
        <StatusIndicator type="info">
          <Text>
            {`Version ${countText(version ?? 0)} again${size === undefined ? '' : `, ${sizeText(size)}`}`}
          </Text>
        </StatusIndicator>
      ),
  },
];
