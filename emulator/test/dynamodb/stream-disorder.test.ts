import { parseStreamDisorder } from '../../src/services/dynamodb/streams/disorder';
import { UserError } from '../../src/user-error';

test('parses a list of rates', () => {
  expect(parseStreamDisorder('repeat=0.2,late=50,seed=7')).toEqual({
    seed: 7,
    repeat: 0.2,
    lateMilliseconds: 50,
  });
  expect(parseStreamDisorder('late=5')).toEqual({ seed: 1, lateMilliseconds: 5 });
  expect(parseStreamDisorder(undefined)).toBeUndefined();
});

test.each(['', 'repeat', 'repeat=2', 'late=60001', 'late=-1', 'shuffle=1', 'repeat=0.1,,'])(
  'refuses %j',
  (text) => {
    expect(() => parseStreamDisorder(text)).toThrow(UserError);
  },
);
