/**
 * Fetches the issuer's public keys over TLS; without TLS only from this machine, where the
 * emulator runs an issuer.
 */
import { FetchError } from 'aws-jwt-verify/error';

const TIMEOUT_MS = 3_000;

/** The response body. Throws FetchError. */
export async function fetchKeySet(uri: string): Promise<ArrayBuffer> {
  try {
    requireSafe(uri);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(uri, { redirect: 'error', signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return await response.arrayBuffer();
  } catch (error) {
    throw new FetchError(uri, error);
  }
}

/**
 * Throws when the address is neither https nor this machine: its response could be tampered with.
 */
export function requireSafe(uri: string): void {
  const { protocol, hostname } = new URL(uri);
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    throw new Error(`${uri} must begin with https:`);
  }
}
