/** Messages in requests of ten, of which each message fails by itself. */

/**
 * SQS and EventBridge took 256 KiB per request for years, and more only of late and not everywhere;
 * the rest is for what is around the texts.
 */
const REQUEST_BYTES = 240 * 1024;
const REQUEST_MESSAGES = 10;

/** In order, in groups that one request may carry. */
function* groups(texts: readonly string[]): Generator<readonly string[]> {
  let group: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = Buffer.byteLength(text);
    if (group.length === REQUEST_MESSAGES || (group.length > 0 && bytes + size > REQUEST_BYTES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(text);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

/**
 * Sends group after group until one does not arrive as a whole or the time is over. Answers how
 * many texts, counted from the first, have arrived. Throws when it is none.
 */
export async function sendInGroups(
  texts: readonly string[],
  isOver: () => boolean,
  /** How many of the group, counted from its first text, have arrived. */
  send: (group: readonly string[], sent: number) => Promise<number>,
): Promise<number> {
  let sent = 0;
  for (const group of groups(texts)) {
    if (sent > 0 && isOver()) return sent;
    let arrived = 0;
    try {
      arrived = await send(group, sent);
    } catch (error) {
      if (sent === 0) throw error;
    }
    sent += arrived;
    if (arrived < group.length) return sent;
  }
  return sent;
}
