/** The button at the end of a list that has more pages. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';

export function MoreButton(props: {
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly loadMore: () => void;
}) {
  if (!props.hasMore) return null;
  return (
    <Box textAlign="center">
      <Button loading={props.isLoading} onClick={props.loadMore}>
        Show more
      </Button>
    </Box>
  );
}
