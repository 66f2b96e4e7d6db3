import { mintTicket, ticketId } from '../../../core/channel/tickets';
import { BUCKET, openBucket } from '../../support/bucket-world';

async function mint() {
  const { deps } = await openBucket();
  const wanted = { keyId: 'k00000000001', generation: 2, bucket: BUCKET, prefix: 'a/' };
  return { deps, wanted, ...(await mintTicket(deps, wanted)) };
}

test('a ticket is stored under the hash of its text, for a minute', async () => {
  const { deps, wanted, text, expiresAt } = await mint();
  expect(text).toMatch(/^[0-9A-Za-z]{49}$/);
  expect(expiresAt).toBe(deps.clock.now() + 60_000);
  const id = ticketId(text);
  expect([...deps.state.tickets]).toEqual([[id, { ...wanted, expiresAt }]]);
  expect(id).not.toContain(text);
  expect((await mint()).text).not.toBe(text);
});

test('a text that was never a ticket has no id', async () => {
  const { text } = await mint();
  const other = (at: number) => {
    const letter = text[at] === 'A' ? 'B' : 'A';
    return `${text.slice(0, at)}${letter}${text.slice(at + 1)}`;
  };
  const wrong = ['', text.slice(1), `${text}0`, ` ${text}`, `0${text}`, `${text.slice(1)}_`];
  for (const given of [...wrong, other(0), other(42), other(43), other(48)]) {
    expect(ticketId(given)).toBeUndefined();
  }
});
