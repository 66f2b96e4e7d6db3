import { UserError } from '../../src/errors/user-error';
import { parseStreamDisorder } from '../../src/services/dynamodb/streams/disorder';

test('parses a list of rates', () => {
  expect(parseStreamDisorder('repeat=0.2,late=50,shards=16,seed=7')).toEqual({
    seed: 7,
    shards: 16,
    repeat: 0.2,
    lateMilliseconds: 50,
  });
  expect(parseStreamDisorder('late=5')).toEqual({
    seed: 1,
    shards: 8,
    lateMilliseconds: 5,
  });
  expect(parseStreamDisorder(undefined)).toBeUndefined();
});

test.each([
  'shards=0',
  'shards=1.5',
  'shards=65',
  '',
  'repeat',
  'repeat=2',
  'late=60001',
  'late=-1',
  'shuffle=1',
  'repeat=0.1,,',
])('refuses %j', (text) => {
  expect(() => parseStreamDisorder(text)).toThrow(UserError);
});
