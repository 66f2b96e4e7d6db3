import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../../src/services/dynamodb/streams/journal';
import { streamRecord } from '../../src/services/dynamodb/streams/record';
import { shardId } from '../../src/services/events/stream-source';
import { afterTest, useFolder } from '../support/clean-up';
import { LOG, LOG_STREAM, REGION } from './service';

const keys = (id: string) => ({ id: { S: id }, n: { N: '1' } });

function useJournal(directory: string, segmentBytes?: number): Journal {
  const journal = new Journal(directory, segmentBytes);
  afterTest(() => journal.close());
  return journal;
}

function intend(journal: Journal, id: string): number {
  return journal.intend([{ kind: 'put', keys: keys(id) }]);
}

function add(journal: Journal, id: string, token?: string): void {
  const change = {
    table: LOG,
    keys: keys(id),
    after: { ...keys(id), text: { S: 'é'.repeat(30) } },
  };
  const identity = {
    arn: LOG_STREAM,
    shardId: shardId(1),
    region: REGION,
    view: 'NEW_IMAGE',
  } as const;
  const record = (sequence: string) => streamRecord(change, identity, sequence);
  journal.settle(intend(journal, id), [record], token);
}

const ids = (journal: Journal, after?: string, limit = 1000) =>
  journal.read(after, limit).map(({ dynamodb }) => (dynamodb.Keys.id as { S: string }).S);

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);

test('restores records, checkpoints, tokens and open intents at a restart', () => {
  const directory = useFolder();
  const before = useJournal(directory, 2000);
  intend(before, 'never settled');
  for (const id of numbered(30)) add(before, id, `token of ${id}`);
  before.saveCheckpoint('Fanout', '5');

  const after = useJournal(directory, 2000);

  expect(readdirSync(directory).length).toBeGreaterThan(3);
  expect(ids(after)).toEqual(numbered(30));
  expect(after.latest).toBe(before.latest);
  expect(after.checkpoint('Fanout')).toBe('5');
  expect([after.hasTransaction('token of r3'), after.hasTransaction('token of r30')]).toEqual([
    true,
    false,
  ]);
  expect(after.openIntents.map((intent) => intent.writes)).toEqual([
    [{ kind: 'put', keys: keys('never settled') }],
  ]);
});

test('reads across segments in pages of any size', () => {
  const journal = useJournal(useFolder(), 1500);
  for (const id of numbered(40)) add(journal, id);

  for (const limit of [1, 7, 40, 100]) {
    const seen: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = journal.read(after, limit);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(limit);
      seen.push(...page.map(({ dynamodb }) => (dynamodb.Keys.id as { S: string }).S));
      after = page.at(-1)?.dynamodb.SequenceNumber;
    }
    expect(seen).toEqual(numbered(40));
  }
});

test('deletes segments that every consumer has passed, and continues the numbering', () => {
  const directory = useFolder();
  const journal = useJournal(directory, 1500);
  for (const id of numbered(40)) add(journal, id);
  const latest = journal.latest ?? '';
  const files = readdirSync(directory).length;

  journal.saveCheckpoint('Slow', '0');
  journal.saveCheckpoint('Quick', latest);
  const keptForSlow = ids(journal);
  journal.saveCheckpoint('Slow', latest);
  add(journal, 'next');

  expect(keptForSlow).toEqual(numbered(40));
  expect(files).toBeGreaterThan(5);
  expect(readdirSync(directory)).toHaveLength(1);
  expect(ids(journal, latest)).toEqual(['next']);
  const again = useJournal(directory, 1500);
  expect(ids(again, latest)).toEqual(['next']);
  expect(again.checkpoint('Slow')).toBe(latest);
});

test('reads from the oldest record on when an older one is requested', () => {
  const journal = useJournal(useFolder(), 1500);
  for (const id of numbered(40)) add(journal, id);
  journal.saveCheckpoint('Only', journal.latest ?? '');

  const remaining = ids(journal);

  expect(remaining.length).toBeLessThan(40);
  expect(ids(journal, '100000000000000000001')).toEqual(remaining);
});

test('removes an incomplete last line and continues after it', () => {
  const directory = useFolder();
  add(useJournal(directory), 'whole');
  const [file = ''] = readdirSync(directory);
  appendFileSync(join(directory, file), 'R{"eventID":"to');

  const journal = useJournal(directory);
  add(journal, 'next');

  expect(ids(journal)).toEqual(['whole', 'next']);
  expect(ids(useJournal(directory))).toEqual(['whole', 'next']);
});

test('keeps an open intent when its segment is deleted', () => {
  const directory = useFolder();
  const journal = useJournal(directory, 1500);
  intend(journal, 'open');
  for (const id of numbered(40)) add(journal, id);
  journal.saveCheckpoint('Only', journal.latest ?? '');

  expect(readdirSync(directory)).toHaveLength(1);
  expect(useJournal(directory).openIntents).toHaveLength(1);
});
