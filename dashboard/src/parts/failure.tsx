/** A failure with its message and the request id to quote when reporting it. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { StowageError } from '../../../client/errors';
import { errorMessage } from '../api/error-message';
import { SignInAgain } from '../session/sign-in-again';

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
  return (
    <Alert type="error" header={what} statusIconAriaLabel="Error" action={again}>
      <span className="text">{message}</span>
      {requestId && (
        <Box variant="div" fontSize="body-s" color="inherit">
          Request <span className="code">{requestId}</span>
        </Box>
      )}
    </Alert>
  );
}
