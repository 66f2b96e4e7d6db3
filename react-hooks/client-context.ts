import type { StowageClient } from '@stowage/client';
import {
  createContext,
  createElement,
  type FunctionComponentElement,
  type ProviderProps,
  type ReactNode,
  useContext,
} from 'react';

const ClientContext = createContext<StowageClient | undefined>(undefined);

/** Of StowageProvider. */
export interface StowageProviderProps {
  /** The client of all hooks below. Keep it the same between renderings. */
  readonly client: StowageClient;
  /** The components that use the hooks. */
  readonly children?: ReactNode;
}

/** Gives the hooks of the components below their client. */
export function StowageProvider({
  client,
  children,
}: StowageProviderProps): FunctionComponentElement<ProviderProps<StowageClient | undefined>> {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** Returns the client of the provider above. Throws Error when there is none. */
export function useStowageClient(): StowageClient {
  const client = useContext(ClientContext);
  if (client === undefined) throw new Error('there is no <StowageProvider> above this component');
  return client;
}
