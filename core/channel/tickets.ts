/** One-use tickets, which open a channel where a handshake cannot carry the API key. */
import { createHash } from 'node:crypto';
import { checksum, randomBase62 } from '../access/api-key';
import { LIMITS } from '../limits';
import type { Clock } from '../system';
import type { Subscriptions, Ticket } from './ports';

/** A secret of 256 random bits in base62, and its checksum. */
const SECRET_LENGTH = 43;
const FORMAT = /^[0-9A-Za-z]{49}$/;

/** Distinguishes the checksum of a ticket from the checksums of other texts. */
const PURPOSE = 'ticket_';

/** `id` is the hash of the new ticket; only that is stored. */
function newTicket(): { readonly text: string; readonly id: string } {
  const secret = randomBase62(SECRET_LENGTH);
  const text = secret + checksum(PURPOSE + secret);
  return { text, id: hashOf(text) };
}

/**
 * Returns the id under which the ticket is stored, or undefined when its checksum is wrong. So an
 * invented ticket causes no AWS call; one with a computed checksum causes a read.
 */
export function ticketId(text: string): string | undefined {
  if (!FORMAT.test(text)) return undefined;
  const secret = text.slice(0, SECRET_LENGTH);
  return checksum(PURPOSE + secret) === text.slice(SECRET_LENGTH) ? hashOf(text) : undefined;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * Stores a new ticket; returns its text and its expiry in epoch milliseconds. AWS calls: 1 PutItem.
 */
export async function mintTicket(
  deps: { readonly subscriptions: Pick<Subscriptions, 'addTicket'>; readonly clock: Clock },
  ticket: Omit<Ticket, 'expiresAt'>,
): Promise<{ text: string; expiresAt: number }> {
  const { text, id } = newTicket();
  const expiresAt = deps.clock.now() + LIMITS.ticketSeconds * 1000;
  await deps.subscriptions.addTicket(id, { ...ticket, expiresAt });
  return { text, expiresAt };
}
