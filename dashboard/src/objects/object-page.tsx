/** The page of one object: its properties and its versions. */
import Box from '@cloudscape-design/components/box';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useCallback, useState } from 'react';
import { StowageError } from '../../../client/errors';
import type { ObjectDescriptor } from '../../../client/resources';
import { shownText } from '../../../core/hidden';
import { Dock } from '../jobs/dock';
import { Failure } from '../parts/failure';
import { goTo, hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useLoad } from '../parts/use-load';
import { useNarrow } from '../parts/use-narrow';
import { Preview } from '../preview/preview';
import { useSession, useSignedIn } from '../session/session-context';
import { download } from './download';
import { folderOf, objectEntry, stepsTo } from './entries';
import { ObjectDetails } from './object-details';
import { type ObjectTask, ObjectTasks } from './object-tasks';
import { VersionsTable } from './versions-table';

interface ObjectPageProps {
  readonly bucket: string;
  readonly objectKey: string;
}

export function ObjectPage({ bucket, objectKey: key }: ObjectPageProps) {
  const { client } = useSession();
  const { epoch } = useSignedIn();
  const [task, setTask] = useState<ObjectTask>();
  const [problem, setProblem] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => client.describe(bucket, key, { signal }),
    [client, bucket, key, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const isGone = error instanceof StowageError && error.code === 'not_found';
  const save = () => {
    setProblem(undefined);
    download(client, bucket, key).catch(setProblem);
  };
  return (
    <SpaceBetween size="m">
      <BreadcrumbGroup
        ariaLabel="Where this page is"
        items={[
          { text: 'Buckets', href: hrefOf({ page: 'buckets' }) },
          { text: bucket, href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
          ...stepsTo(folderOf(key)).map((step) => ({
            text: shownText(step.name),
            href: hrefOf({ page: 'objects', bucket, prefix: step.prefix }),
          })),
          { text: shownText(key.slice(folderOf(key).length)) || '(the folder itself)', href: '#' },
        ]}
      />
      <Header
        variant="h1"
        actions={
          value &&
          !isGone && (
            <SpaceBetween direction="horizontal" size="xs">
              <ObjectMenu object={value} setTask={setTask} />
              <Button variant="primary" iconName="download" onClick={save}>
                Download
              </Button>
            </SpaceBetween>
          )
        }
      >
        <Text>{key.slice(folderOf(key).length) || key}</Text>
      </Header>
      {problem !== undefined && <Failure what="The download did not begin" error={problem} />}
      {error !== undefined && !isGone && (
        <Failure what="The object could not be read" error={error} retry={reload} />
      )}
      {isLoading && !value && (
        <Box textAlign="center" padding="l">
          <Spinner /> Reading the object …
        </Box>
      )}
      {isGone && (
        <Box variant="p">
          This object does not exist. Its versions may still be stored: make one of them current to
          bring it back.
        </Box>
      )}
      {value && !isGone && <Preview object={value} />}
      {value && !isGone && <ObjectDetails object={value} />}
      {(value || isGone) && <VersionsTable bucket={bucket} objectKey={key} changed={reload} />}
      {task && (
        <ObjectTasks
          bucket={bucket}
          task={task}
          changed={(renamed) => {
            if (renamed === undefined) reload();
            else goTo({ page: 'object', bucket, key: renamed });
          }}
          close={() => setTask(undefined)}
        />
      )}
      <Dock />
    </SpaceBetween>
  );
}

function ObjectMenu(props: {
  readonly object: ObjectDescriptor;
  readonly setTask: (task: ObjectTask) => void;
}) {
  const { object, setTask } = props;
  const { key } = object;
  const entry = objectEntry(object, folderOf(key));
  const isNarrow = useNarrow();
  const createLink = () => setTask({ kind: 'link', key });
  const remove = () => setTask({ kind: 'delete', entries: [entry] });
  // On a phone only one row of buttons fits.
  const rest = [
    { id: 'link', text: 'Create a link' },
    { id: 'delete', text: 'Delete' },
  ];
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <ButtonDropdown
        expandToViewport
        items={[
          { id: 'edit', text: 'Edit metadata' },
          { id: 'rename', text: 'Rename' },
          { id: 'move', text: 'Move' },
          { id: 'copy', text: 'Copy' },
          ...(isNarrow ? rest : []),
        ]}
        onItemClick={({ detail: { id } }) => {
          if (id === 'link') createLink();
          if (id === 'delete') remove();
          if (id === 'edit') setTask({ kind: id, key });
          if (id === 'rename') setTask({ kind: id, entry });
          if (id === 'move' || id === 'copy') setTask({ kind: id, entries: [entry] });
        }}
      >
        More
      </ButtonDropdown>
      {!isNarrow && <Button onClick={remove}>Delete</Button>}
      {!isNarrow && <Button onClick={createLink}>Create a link</Button>}
    </SpaceBetween>
  );
}
