/** The button that signs in again, in a new window. */
import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useSession } from '../session/session-context';
import { useAction } from './use-action';

export function SignInAgain() {
  const session = useSession();
  const [isBlocked, setBlocked] = useState(false);
  const { isBusy, run } = useAction(() =>
    // If the browser blocks the window, the user signs in on this page.
    session.signInAgain().catch(() => setBlocked(true)),
  );
  if (isBlocked) {
    return (
      <Button formAction="none" onClick={() => void session.signIn()}>
        Sign in on this page
      </Button>
    );
  }
  return (
    <Button formAction="none" loading={isBusy} onClick={run}>
      Sign in again
    </Button>
  );
}
