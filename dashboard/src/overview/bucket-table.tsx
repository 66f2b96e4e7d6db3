/** The largest buckets, and how far their followers are behind. */
import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import type { Bucket } from '../api/storage';
import { countText, durationText, plural, sizeText } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';
import { useNarrow } from '../parts/use-narrow';
import { type BucketConsumers, MOST_FOLLOWED, slowest } from './overview';

const MOST_SHOWN = 10;

export function BucketTable(props: {
  readonly buckets: readonly Bucket[];
  readonly consumers: readonly BucketConsumers[] | undefined;
  readonly isLoading: boolean;
}) {
  const { buckets, consumers, isLoading } = props;
  const isNarrow = useNarrow();
  const shown = buckets
    .toSorted((a, b) => (b.total_size ?? 0) - (a.total_size ?? 0) || a.name.localeCompare(b.name))
    .slice(0, MOST_SHOWN);
  const isPartial = buckets.length > MOST_FOLLOWED;
  return (
    <Table
      items={shown}
      trackBy="name"
      wrapLines
      loading={isLoading}
      loadingText="Reading the buckets …"
      ariaLabels={{ tableLabel: 'The largest buckets' }}
      columnDefinitions={columnsOf(isNarrow, (bucket) => followersOf(bucket, consumers))}
      header={
        <Header
          variant="h2"
          counter={
            buckets.length > shown.length ? `(${shown.length}/${buckets.length})` : undefined
          }
          description={
            isPartial
              ? `The largest ones. Followers are looked up for the first ${MOST_FOLLOWED} by name.`
              : undefined
          }
          actions={<Link href={hrefOf({ page: 'buckets' })}>All buckets</Link>}
        >
          Buckets
        </Header>
      }
    />
  );
}

type Column = TableProps.ColumnDefinition<Bucket>;

function columnsOf(isNarrow: boolean, followers: (bucket: Bucket) => React.ReactNode): Column[] {
  const sizes = ({ object_count: count, total_size: size }: Bucket) =>
    count === undefined || size === undefined
      ? ''
      : `${plural(count, 'object')}, ${sizeText(size)}`;
  const name: Column = {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    minWidth: 160,
    cell: (bucket) => (
      <>
        <Link href={hrefOf({ page: 'objects', bucket: bucket.name, prefix: '' })}>
          <Text>{bucket.name}</Text>
        </Link>
        {isNarrow && (
          <Box variant="small" display="block">
            {sizes(bucket)}
          </Box>
        )}
        {isNarrow && followers(bucket)}
      </>
    ),
  };
  if (isNarrow) return [name];
  const known = (value: number | undefined, text: (value: number) => string) =>
    value === undefined ? '–' : text(value);
  return [
    name,
    {
      id: 'object_count',
      header: 'Objects',
      minWidth: 100,
      cell: ({ object_count: count }) => known(count, countText),
    },
    {
      id: 'total_size',
      header: 'Size',
      minWidth: 100,
      cell: ({ total_size: size }) => known(size, sizeText),
    },
    { id: 'followers', header: 'Followers', minWidth: 220, cell: followers },
  ];
}

function followersOf({ name }: Bucket, all: readonly BucketConsumers[] | undefined) {
  const found = all?.find(({ bucket }) => bucket === name);
  if (!found) return '–';
  const worst = slowest(found.consumers);
  if (!worst) return <Box color="text-body-secondary">No consumers</Box>;
  const count = plural(found.consumers.length, 'consumer');
  const href = hrefOf({ page: 'changes', bucket: name });
  const isUpToDate = worst.lag_seconds === 0 && !worst.behind_retention;
  const type = worst.behind_retention ? 'error' : isUpToDate ? 'success' : 'pending';
  return (
    <StatusIndicator type={type} wrapText>
      <Text>
        <Link href={href}>{count}</Link>
        {isUpToDate ? ', up to date' : `, up to ${durationText(worst.lag_seconds)} behind`}
      </Text>
    </StatusIndicator>
  );
}
