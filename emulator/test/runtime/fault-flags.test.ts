/** The faults that flags of the command line name. */
import { UserError } from '../../src/errors/user-error';
import { parseStreamDisorder } from '../../src/services/dynamodb/streams/disorder';
import { parseDisorder } from '../../src/services/sqs/disorder';
import { parseFaults } from '../../src/services/websocket/faults';

test('--stream-faults sets rates, and by default eight shards and the seed 1', () => {
  const all = { seed: 7, shards: 16, repeat: 0.2, lateMilliseconds: 50 };
  expect(parseStreamDisorder('repeat=0.2,late=50,shards=16,seed=7')).toEqual(all);
  expect(parseStreamDisorder('late=5')).toEqual({ seed: 1, shards: 8, lateMilliseconds: 5 });
});

test('--sqs-faults sets rates and the seed', () => {
  const faults = { seed: 7, repeat: 0.2, shuffle: true };
  expect(parseDisorder('repeat=0.2,shuffle=1,seed=7')).toEqual(faults);
});

test('--websocket-faults sets rates and the longest delay', () => {
  const rates = { drop: 0.2, repeat: 1, reorder: 0, cut: 0.001 };
  const text = 'drop=0.2,repeat=1,reorder=0,cut=0.001,drop-disconnect=1,hold=9,seed=7';
  expect(parseFaults(text)).toMatchObject({ rates: { ...rates, dropDisconnect: 1 }, hold: 9 });
});

const PARSERS = { stream: parseStreamDisorder, sqs: parseDisorder, websocket: parseFaults };

test.each(Object.entries(PARSERS))('--%s-faults injects nothing when it is absent', (_, parse) => {
  expect(parse(undefined)).toBeUndefined();
});

test.each<[keyof typeof PARSERS, string[]]>([
  ['stream', ['shards=0', 'shards=1.5', 'shards=65', 'late=60001', 'late=-1', 'repeat=2']],
  ['sqs', ['overlap=-1', 'repeat=2', 'lose=0.1', 'shards=1']],
  ['websocket', ['drop=2', 'drop=-1', 'drop=0.1=0.2', 'seed=x', 'lose=0.1']],
])('--%s-faults refuses each of %j, and lists without values', (name, texts) => {
  for (const text of [...texts, '', 'repeat', 'repeat=', 'repeat=0.1,,']) {
    expect(() => PARSERS[name](text)).toThrow(UserError);
  }
});
