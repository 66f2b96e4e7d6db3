import { StowageError } from '../errors';
import type { Http } from '../http';
import { isRecord } from '../resources';

/** Requests a ticket with the API key, and returns its address. */
export async function requestTicket(
  http: Http,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): Promise<string> {
  const body = { method: 'SYNC', bucket, ...(prefix !== '' && { prefix }) };
  const response = await http.post('signed-url', body);
  if (isRecord(response) && typeof response.url === 'string') return response.url;
  throw new StowageError('invalid_answer', 'the response of the service is not a ticket');
}
