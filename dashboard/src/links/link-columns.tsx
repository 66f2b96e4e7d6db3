/** The columns of the table of links. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CloudscapeLink from '@cloudscape-design/components/link';
import type { TableProps } from '@cloudscape-design/components/table';
import { shownText } from '../../../core/hidden';
import type { Link } from '../api/storage';
import { countText, plural, timeText } from '../parts/format';
import { hrefOf } from '../parts/navigation';
import { Text } from '../parts/text';

type Column = TableProps.ColumnDefinition<Link>;

export function columnsOf(isNarrow: boolean, revoke: (link: Link) => void): Column[] {
  const actions: Column = {
    id: 'actions',
    header: 'Actions',
    minWidth: 100,
    cell: (link) => (
      <Button
        variant="inline-link"
        ariaLabel={`Revoke the link to ${shownText(link.key)}`}
        onClick={() => revoke(link)}
      >
        Revoke
      </Button>
    ),
  };
  const key: Column = {
    id: 'key',
    header: 'Key',
    sortingField: 'key',
    isRowHeader: true,
    minWidth: 180,
    cell: (link) => <Target link={link} isNarrow={isNarrow} />,
  };
  if (isNarrow) return [key, actions];
  return [
    key,
    { id: 'uses', header: 'Opened', sortingField: 'uses', cell: usesText },
    {
      id: 'expires_at',
      header: 'Expires',
      sortingField: 'expires_at',
      cell: ({ expires_at: end }) => timeText(end),
    },
    {
      id: 'has_password',
      header: 'Password',
      sortingField: 'has_password',
      cell: ({ has_password: isLocked }) => (isLocked ? 'Needed' : 'None'),
    },
    {
      id: 'created_by',
      header: 'Made by',
      sortingField: 'created_by',
      cell: ({ created_by: maker }) => <Text>{maker}</Text>,
    },
    {
      id: 'created_at',
      header: 'Made',
      sortingField: 'created_at',
      cell: ({ created_at: time }) => timeText(time),
    },
    actions,
  ];
}

function Target({ link, isNarrow }: { readonly link: Link; readonly isNarrow: boolean }) {
  const { bucket, key, version, note } = link;
  return (
    <>
      <CloudscapeLink href={hrefOf({ page: 'object', bucket, key })}>
        <Text>{key}</Text>
      </CloudscapeLink>
      {version !== undefined && <Box variant="small"> version {countText(version)}</Box>}
      {note !== undefined && (
        <Box variant="small" display="block">
          <Text>{note}</Text>
        </Box>
      )}
      {isNarrow && (
        <Box variant="small" display="block">
          Opened {usesText(link)}, until {timeText(link.expires_at)}
          {link.has_password && ', with a password'}
        </Box>
      )}
    </>
  );
}

/** Returns a text such as `3 of 10 times`. */
export function usesText({ uses, max_uses: most }: Pick<Link, 'uses' | 'max_uses'>): string {
  return most === undefined
    ? plural(uses, 'time')
    : `${countText(uses)} of ${plural(most, 'time')}`;
}
