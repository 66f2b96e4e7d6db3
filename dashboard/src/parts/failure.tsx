/** An error message, with the request id to quote when reporting it. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { StowageError } from '../../../client/errors';
import { errorMessage } from '../api/error-message';
import { goTo } from './navigation';
import { SignInAgain } from './sign-in-again';
import { Text } from './text';

export function Failure(props: {
  readonly error: unknown;
  /** What could not be done. */
  readonly what: string;
  readonly retry?: () => void;
}) {
  const { error, what, retry } = props;
  const { message, requestId } = errorMessage(error);
  const hasEnded = error instanceof StowageError && error.code === 'unauthorized';
  // The button is needed in a dialog, which covers the note at the top of the page.
  const again = hasEnded ? <SignInAgain /> : retry && <Button onClick={retry}>Try again</Button>;
  if (isMissingBucket(error)) return <MissingBucket message={message} />;
  return (
    <Alert type="error" header={what} statusIconAriaLabel="Error" action={again}>
      <Text>{message}</Text>
      {requestId && (
        <Box variant="div" fontSize="body-s" color="inherit">
          Request <Text code>{requestId}</Text>
        </Box>
      )}
    </Alert>
  );
}

/** Offers the way back to the buckets, because trying again would not help. */
function MissingBucket({ message }: { readonly message: string }) {
  return (
    <Alert
      type="error"
      header="There is no such bucket"
      statusIconAriaLabel="Error"
      action={<Button onClick={() => goTo({ page: 'buckets' })}>Go to the buckets</Button>}
    >
      <Text>{message}</Text>
    </Alert>
  );
}

/** Reports whether the bucket itself is missing: errors about its contents have more details. */
function isMissingBucket(error: unknown): boolean {
  return (
    error instanceof StowageError &&
    error.code === 'not_found' &&
    Object.keys(error.details).join() === 'bucket'
  );
}
