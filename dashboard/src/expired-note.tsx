/** The note that the sign-in has expired or is about to, with a button to sign in again. */
import Alert from '@cloudscape-design/components/alert';
import { SignInAgain } from './parts/sign-in-again';
import { useSignedIn } from './session/session-context';

export function ExpiredNote() {
  const { isExpired } = useSignedIn();
  if (!isExpired) return null;
  return (
    <Alert
      type="warning"
      header="Your sign-in has ended"
      statusIconAriaLabel="Warning"
      action={<SignInAgain />}
    >
      A small window opens for it. What you have typed here stays.
    </Alert>
  );
}
