import { sendsHeaders } from './channel/web-socket';
import { StowageError } from './errors';
import type { Http } from './http';
import type { StowageClientOptions } from './options';
import { isRecord } from './resources';

/**
 * Returns the function that gets tickets: the option `ticket`, or a request with the API key where
 * a WebSocket sends no headers.
 */
export function ticketSource(
  { apiKey, ticket, webSocket }: StowageClientOptions,
  http: Http,
): StowageClientOptions['ticket'] {
  if (ticket || webSocket || apiKey === undefined || sendsHeaders()) return ticket;
  return (wanted) => requestTicket(http, wanted);
}

/** Requests a ticket with the API key, and returns its address. */
export async function requestTicket(
  http: Http,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  signal?: AbortSignal,
): Promise<string> {
  const body = { method: 'SYNC', bucket, ...(prefix !== '' && { prefix }) };
  const response = await http.post('signed-url', body, { signal });
  if (isRecord(response) && typeof response.url === 'string') return response.url;
  throw new StowageError('invalid_answer', 'the response of the service is not a ticket');
}
