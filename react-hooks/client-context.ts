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

/** Properties of StowageProvider. */
export interface StowageProviderProps {
  /** The client of all hooks below. Keep it the same between renderings. */
  readonly client: StowageClient;
  /** The components that use the hooks. */
  readonly children?: ReactNode;
}

/** Provides the client to the hooks of the components below. */
export function StowageProvider({
  client,
  children,
}: StowageProviderProps): FunctionComponentElement<ProviderProps<StowageClient | undefined>> {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** Returns the client of the provider above. Throws Error when there is none. */
export function useStowageClient(): StowageClient {
  const client = useContext(ClientContext);
  if (client === undefined)
    throw new Error('wrap the component in a <StowageProvider>: the hooks need its client');
  return client;
}
