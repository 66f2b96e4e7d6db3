/** The page before sign-in, and while signing out. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useState } from 'react';
import mark from './icon.svg';
import { Failure } from './parts/failure';
import { useSession, useSessionState } from './session/session-context';

export function SignInPage() {
  const session = useSession();
  const state = useSessionState();
  const [isLeaving, setLeaving] = useState(false);
  if (state.phase === 'starting' || state.phase === 'signing-out') {
    return (
      <main className="centered">
        <Box textAlign="center">
          <Spinner size="large" />{' '}
          <Box variant="p">{state.phase === 'starting' ? 'Starting …' : 'Signing out …'}</Box>
        </Box>
      </main>
    );
  }
  if (state.phase === 'failed') {
    return (
      <main className="centered">
        <Failure
          what="The dashboard could not start"
          error={state.error}
          retry={() => void session.start()}
        />
      </main>
    );
  }
  const error = state.phase === 'signed-out' ? state.error : undefined;
  const signIn = async () => {
    setLeaving(true);
    await session.signIn();
    setLeaving(false);
  };
  return (
    <main className="centered">
      <Container>
        <SpaceBetween size="l">
          <Box textAlign="center">
            <img className="mark" src={mark} alt="" />
            <Box variant="h1">stowage</Box>
            <Box variant="p" color="text-body-secondary">
              Files, keys, and every change of them.
            </Box>
          </Box>
          {error !== undefined && <Failure what="You could not be signed in" error={error} />}
          <Button variant="primary" fullWidth loading={isLeaving} onClick={() => void signIn()}>
            Sign in
          </Button>
        </SpaceBetween>
      </Container>
    </main>
  );
}
