/**
 * Rules that stand in several places because a layer may not import another one: the copies are
 * compared with the original in core.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isErrorCode, StowageError } from '../../client/errors';
import { ERRORS, type ErrorCode } from '../../core/errors';
import { BUCKET_NAME, BUCKET_PATTERN, LIMITS, PERMISSIONS_MAX } from '../../core/limits';
import { LIMITS as DASHBOARD_LIMITS } from '../../dashboard/src/api/limits';
import { bucketNameError } from '../../dashboard/src/buckets/bucket-name';
import { filesBelow, ROOT } from './sources';

/** Errors of the client itself, for which there is no response of the service. */
const CLIENT_CODES = ['network', 'invalid_answer', 'digest_mismatch'];

describe('the client', () => {
  test('knows every error code of the service, with its status', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      if (!isErrorCode(code)) throw new Error(`the client does not know ${code}`);
      expect(new StowageError(code, '').status).toBe(status);
    }
  });

  test('knows no error code that the service does not have', () => {
    const text = readFileSync(path.join(ROOT, 'client/errors.ts'), 'utf8');
    const table = /const STATUS = \{([^}]+)\}/.exec(text)?.[1] ?? '';
    const codes = [...table.matchAll(/(\w+): \d+/g)].map(([, code]) => code);
    const known: readonly ErrorCode[] = Object.keys(ERRORS).filter(
      (code): code is ErrorCode => code in ERRORS,
    );
    expect(codes.sort()).toEqual([...known, ...CLIENT_CODES].sort());
  });
});

describe('the dashboard', () => {
  test('accepts the bucket names that the service accepts', () => {
    const lengths = [0, 1, 2, 3, 4, LIMITS.bucketNameMax, LIMITS.bucketNameMax + 1];
    const names = [
      ...lengths.map((length) => 'b'.repeat(length)),
      ...['-ab', 'ab-', 'a-b', 'a--b', '0ab', 'Abc', 'a_b', 'a.b', 'abc\n', 'äbc', ' abc'],
    ];
    for (const name of names) {
      expect([name, bucketNameError(name) === undefined]).toEqual([name, BUCKET_NAME.test(name)]);
    }
  });

  test('has the same limits as the service', () => {
    expect(DASHBOARD_LIMITS).toMatchObject({
      bucketPattern: BUCKET_PATTERN,
      bucketNameLength: { min: LIMITS.bucketNameMin, max: LIMITS.bucketNameMax },
      permissionEntries: PERMISSIONS_MAX,
      keyBytes: LIMITS.keyBytes,
      lifecycleRules: LIMITS.lifecycleRules,
      lifecycleDays: LIMITS.lifecycleDays,
      encodedKeyLength: LIMITS.encodedKeyLength,
    });
  });
});

// What can import core/limits.ts must not repeat its patterns.
test.each([
  ['the pattern of bucket names', '[a-z0-9-]{1,61}'],
  ['the pattern of bucket names with an asterisk', '(?=.{1,63}$)[a-z0-9-]*'],
  ['the pattern of API keys', '[0-9A-Za-z]{43}'],
])('%s stands in core/limits.ts only', (_what, pattern) => {
  const files = ['core', 'service', 'adapters', 'lambdas', 'lib', 'bin', 'openapi'].flatMap(
    (folder) => filesBelow(folder, ['.ts']),
  );
  const found = files.filter(({ text }) => text.includes(pattern)).map((file) => file.path);
  expect(found).toEqual(['core/limits.ts']);
});
