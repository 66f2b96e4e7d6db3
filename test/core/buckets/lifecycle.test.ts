/** Lifecycle rules: how they are parsed, and to which keys they apply. */

import { isExpiredBy, lifecycleView, parseLifecycle } from '../../../core/buckets/lifecycle';
import { LIMITS } from '../../../core/limits';
import { AT, liveObject } from '../../support/samples';

const DAY = 86_400_000;
const rule = (prefix: string, expireAfterDays = 1) => ({ prefix, expireAfterDays });

test('parseLifecycle parses the rules that lifecycleView shows', () => {
  const lifecycle = [{ expire_after_days: 1 }, { prefix: 'a/', expire_after_days: 36_500 }];
  const rules = [rule(''), rule('a/', 36_500)];
  expect(parseLifecycle({ lifecycle })).toStrictEqual(rules);
  expect(lifecycleView(rules)).toStrictEqual(lifecycle);
  expect(parseLifecycle({ lifecycle: [] })).toEqual([]);
  const most = Array.from({ length: LIMITS.lifecycleRules }, () => ({ expire_after_days: 1 }));
  expect(parseLifecycle({ lifecycle: most })).toHaveLength(LIMITS.lifecycleRules);
});

test.each<[Record<string, unknown>, string, string | undefined]>([
  [{}, 'lifecycle', 'is required'],
  [{ lifecycle: null }, 'lifecycle', undefined],
  [{ lifecycle: [{}] }, 'lifecycle[0].expire_after_days', 'is required'],
  [{ lifecycle: [null] }, 'lifecycle[0]', undefined],
  [
    { lifecycle: [{ expire_after_days: 1 }, { expire_after_days: LIMITS.lifecycleDays + 1 }] },
    'lifecycle[1].expire_after_days',
    undefined,
  ],
  [{ lifecycle: [{ prefix: null, expire_after_days: 1 }] }, 'lifecycle[0].prefix', undefined],
])('the rules %j are refused at %s', (body, field, rule = expect.any(String)) => {
  const details = { field, rule };
  expect(() => parseLifecycle(body)).toThrow(
    expect.objectContaining({ code: 'invalid_request', details }),
  );
});

test('isExpiredBy applies a rule to an object of its prefix from its age on', () => {
  const object = liveObject({ key: 'a/b', updatedAt: AT });
  const [born, rules] = [Date.parse(AT), [rule('x', 1), rule('a/', 3)]];
  expect(isExpiredBy(rules, object, born + 3 * DAY)).toBe(true);
  expect(isExpiredBy(rules, object, born + 3 * DAY - 1)).toBe(false);
  expect(isExpiredBy([rule('b')], object, born + 3 * DAY)).toBe(false);
  expect(isExpiredBy([], object, born + 3 * DAY)).toBe(false);
});
