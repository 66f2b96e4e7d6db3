/** One-use tickets, which open a channel where a handshake cannot carry the API key. */
import { createHash } from 'node:crypto';
import { checksum, randomBase62 } from '../access/api-key';
import { LIMITS } from '../limits';
import type { Clock } from '../system';
import type { Subscriptions, Ticket } from './ports';

/** A secret of 256 random bits in base62, and its checksum. */
const SECRET_LENGTH = 43;
const FORMAT = /^[0-9A-Za-z]{49}$/;

/** Keeps the text of a ticket apart from every other text with a checksum. */
const PURPOSE = 'ticket_';

/** `id` is the hash of the new ticket; only that is stored. */
function newTicket(): { readonly text: string; readonly id: string } {
  const secret = randomBase62(SECRET_LENGTH);
  const text = secret + checksum(PURPOSE + secret);
  return { text, id: hashOf(text) };
}

/**
 * The id under which the ticket is stored. undefined: its checksum is wrong, so it was never made.
 * A client that makes up tickets causes no AWS call; one that computes the checksum causes a read.
 */
export function ticketId(text: string): string | undefined {
  if (!FORMAT.test(text)) return undefined;
  const secret = text.slice(0, SECRET_LENGTH);
  return checksum(PURPOSE + secret) === text.slice(SECRET_LENGTH) ? hashOf(text) : undefined;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** Stores a new ticket; returns its text and its expiry in epoch milliseconds. 1 PutItem. */
export async function mintTicket(
  deps: { readonly subscriptions: Pick<Subscriptions, 'addTicket'>; readonly clock: Clock },
  ticket: Omit<Ticket, 'expiresAt'>,
): Promise<{ text: string; expiresAt: number }> {
  const { text, id } = newTicket();
  const expiresAt = deps.clock.now() + LIMITS.ticketSeconds * 1000;
  await deps.subscriptions.addTicket(id, { ...ticket, expiresAt });
  return { text, expiresAt };
}
