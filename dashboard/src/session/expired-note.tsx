/** The note that the sign-in has expired or is about to, with a button to sign in again. */
import Alert from '@cloudscape-design/components/alert';
import { useSignedIn } from './session-context';
import { SignInAgain } from './sign-in-again';

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
