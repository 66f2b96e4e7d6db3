/** The page of one object: its properties and its versions. */

import Box from '@cloudscape-design/components/box';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useCallback, useState } from 'react';
import { StowageError } from '../../../client/errors';
import type { ObjectDescriptor } from '../../../client/resources';
import { hrefOf } from '../navigation';
import { Failure } from '../parts/failure';
import { countText, sizeText, timeText } from '../parts/format';
import { useLoad } from '../parts/use-load';
import { useSession, useSignedIn } from '../session/session-context';
import { download } from './download';
import { folderOf, stepsTo } from './entries';
import { type ObjectTask, ObjectTasks } from './object-tasks';
import { VersionsTable } from './versions-table';

interface ObjectPageProps {
  readonly bucket: string;
  readonly objectKey: string;
}

export function ObjectPage({ bucket, objectKey: key }: ObjectPageProps) {
  const { storage } = useSession();
  const { epoch } = useSignedIn();
  const [task, setTask] = useState<ObjectTask>();
  const [problem, setProblem] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: after another sign-in it is read again
  const load = useCallback(
    (signal: AbortSignal) => storage.describe(bucket, key, { signal }),
    [storage, bucket, key, epoch],
  );
  const { value, error, isLoading, reload } = useLoad(load);
  const isGone = error instanceof StowageError && error.code === 'not_found';
  const save = () => {
    setProblem(undefined);
    download(storage, bucket, key).catch(setProblem);
  };
  return (
    <SpaceBetween size="m">
      <BreadcrumbGroup
        ariaLabel="Where this page is"
        items={[
          { text: 'Buckets', href: hrefOf({ page: 'buckets' }) },
          { text: bucket, href: hrefOf({ page: 'objects', bucket, prefix: '' }) },
          ...stepsTo(folderOf(key)).map((step) => ({
            text: step.name,
            href: hrefOf({ page: 'objects', bucket, prefix: step.prefix }),
          })),
          { text: key.slice(folderOf(key).length) || '(the folder itself)', href: '#' },
        ]}
      />
      <Header
        variant="h1"
        actions={
          value &&
          !isGone && (
            <SpaceBetween direction="horizontal" size="xs">
              <Button onClick={() => setTask({ kind: 'delete', key })}>Delete</Button>
              <Button onClick={() => setTask({ kind: 'link', key })}>Create a link</Button>
              <Button variant="primary" iconName="download" onClick={save}>
                Download
              </Button>
            </SpaceBetween>
          )
        }
      >
        <span className="text">{key.slice(folderOf(key).length) || key}</span>
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
        <Box variant="p">This object does not exist. Its versions may still be stored.</Box>
      )}
      {value && !isGone && <Details object={value} />}
      {(value || isGone) && <VersionsTable bucket={bucket} objectKey={key} changed={reload} />}
      {task && (
        <ObjectTasks
          bucket={bucket}
          task={task}
          deleted={reload}
          close={() => setTask(undefined)}
        />
      )}
    </SpaceBetween>
  );
}

function Details({ object }: { readonly object: ObjectDescriptor }) {
  const code = (text: string) => <span className="code">{text}</span>;
  const metadata = Object.entries(object.metadata);
  return (
    <Container header={<Header variant="h2">Details</Header>}>
      <SpaceBetween size="l">
        <KeyValuePairs
          columns={3}
          items={[
            { label: 'Key', value: code(object.key) },
            {
              label: 'Size',
              value:
                object.size < 1024
                  ? sizeText(object.size)
                  : `${sizeText(object.size)} (${countText(object.size)} bytes)`,
            },
            { label: 'Type', value: code(object.content_type) },
            { label: 'Version', value: countText(object.version) },
            { label: 'Cursor', value: countText(object.cursor) },
            { label: 'Created', value: timeText(object.created_at) },
            { label: 'Changed', value: timeText(object.updated_at) },
            { label: 'ETag', value: code(object.etag) },
            { label: 'SHA-256', value: code(object.checksum_sha256 ?? 'not known') },
            ...(object.expires_at === undefined
              ? []
              : [{ label: 'Expires', value: timeText(object.expires_at) }]),
          ]}
        />
        {metadata.length > 0 && (
          <>
            <Header variant="h3">Metadata</Header>
            <KeyValuePairs
              columns={3}
              items={metadata.map(([name, value]) => ({
                label: name,
                value: <span className="text">{value}</span>,
              }))}
            />
          </>
        )}
      </SpaceBetween>
    </Container>
  );
}
