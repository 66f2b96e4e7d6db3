/** The page before sign-in. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useState } from 'react';
import { Failure } from '../parts/failure';
import { useSession, useSessionState } from './session-context';

export function SignInPage() {
  const session = useSession();
  const state = useSessionState();
  const [isLeaving, setLeaving] = useState(false);
  if (state.phase === 'starting') {
    return (
      <main className="centered">
        <Box textAlign="center">
          <Spinner size="large" /> <Box variant="p">Starting …</Box>
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
      <Container header={<Header variant="h1">stowage</Header>}>
        <SpaceBetween size="l">
          <Box variant="p">Manage API keys, look into buckets, and watch what changes in them.</Box>
          {error !== undefined && <Failure what="Signing in did not work" error={error} />}
          <Button variant="primary" fullWidth loading={isLeaving} onClick={() => void signIn()}>
            Sign in
          </Button>
        </SpaceBetween>
      </Container>
    </main>
  );
}
