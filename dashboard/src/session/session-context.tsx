/** The session, for every component of the page. */
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session';

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider(props: {
  readonly session: Session;
  readonly children: ReactNode;
}) {
  return <SessionContext value={props.session}>{props.children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('there is no SessionProvider above');
  return session;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, session.state);
}

/** The state of the signed-in user. Throws when no user is signed in. */
export function useSignedIn(): Extract<SessionState, { phase: 'signed-in' }> {
  const state = useSessionState();
  if (state.phase !== 'signed-in') throw new Error('no user is signed in');
  return state;
}
