/** The header of a folder's page with its buttons, and the text of an empty list. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { SERVICE_ROOT } from '../api/service-root';
import { Empty } from '../parts/empty';
import { countText } from '../parts/format';
import { goTo } from '../parts/navigation';
import { Text } from '../parts/text';
import { useNarrow } from '../parts/use-narrow';
import { useUploads } from '../upload/use-uploads';
import { CHANGES_READ } from './deleted';

export function FolderHeader(props: {
  readonly bucket: string;
  readonly folder: string;
  readonly scope: string;
  readonly reload: () => void;
  readonly empty: () => void;
}) {
  const { bucket, folder, scope, reload } = props;
  const { choose } = useUploads();
  const isNarrow = useNarrow();
  const drop = isNarrow ? '' : 'Drop files or folders here to upload them. ';
  return (
    <Header
      variant="awsui-h1-sticky"
      description={`${drop}${scope}`}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="refresh" ariaLabel="Read the objects again" onClick={reload} />
          <ButtonDropdown
            expandToViewport
            items={[
              { id: 'folder', text: 'Upload a folder' },
              { id: 'links', text: 'Links' },
              { id: 'changes', text: 'Watch changes' },
              { id: 'empty', text: 'Empty this bucket' },
            ]}
            onItemClick={({ detail: { id } }) => {
              if (id === 'folder') choose(bucket, folder, 'folder');
              if (id === 'links' || id === 'changes') goTo({ page: id, bucket });
              if (id === 'empty') props.empty();
            }}
          >
            More
          </ButtonDropdown>
          <Button
            variant="primary"
            iconName="upload"
            onClick={() => choose(bucket, folder, 'files')}
          >
            {isNarrow ? 'Choose files' : 'Upload'}
          </Button>
        </SpaceBetween>
      }
    >
      <Text>{folder === '' ? bucket : folder}</Text>
    </Header>
  );
}

/** Returns sentences that say which part of the bucket the list covers. */
export function scopeText(list: {
  readonly text: string;
  readonly searched: number;
  readonly showsDeleted: boolean;
  readonly isComplete: boolean;
  readonly hasMore: boolean;
}): string {
  const parts: string[] = [];
  if (list.text !== '') {
    const count = `${countText(list.searched)} names`;
    parts.push(
      list.hasMore
        ? `Searched the first ${count}. Choose Show more to continue.`
        : `Searched ${count}, all that there are.`,
    );
  } else if (list.hasMore)
    parts.push('Only the loaded names are sorted. Choose Show more to load more.');
  if (list.showsDeleted) {
    parts.push(
      list.isComplete
        ? 'Shows all deletions that the service still keeps.'
        : `Shows deletions among the last ${countText(CHANGES_READ)} changes of the bucket.`,
    );
  }
  return parts.join(' ');
}

/** `bucket`: when the whole bucket is empty. */
export function NoEntries(props: {
  readonly bucket: string | undefined;
  readonly isSearch: boolean;
}) {
  const { bucket, isSearch } = props;
  const isNarrow = useNarrow();
  if (isSearch)
    return <Empty title="No name contains this">Upper and lower case do not matter.</Empty>;
  return (
    <Empty title="Nothing here yet">
      {isNarrow ? 'Press Choose files' : 'Drop files or folders here, or press Upload'}
      {bucket !== undefined && <CurlExample bucket={bucket} />}
    </Empty>
  );
}

function CurlExample({ bucket }: { readonly bucket: string }) {
  const address = `${SERVICE_ROOT}api/v2/storage/objects/${bucket}/cat.jpg`;
  const line = `curl -T cat.jpg -H "Authorization: Bearer $STOWAGE_KEY" ${address}`;
  return (
    <Box padding={{ top: 's' }}>
      <div>or, with an API key:</div>
      <div className="code">{line}</div>
      <CopyToClipboard
        variant="button"
        copyButtonText="Copy"
        textToCopy={line}
        copySuccessText="Copied"
        copyErrorText="The browser did not allow copying: select the text instead"
      />
    </Box>
  );
}
