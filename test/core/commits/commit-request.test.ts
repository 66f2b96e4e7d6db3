/** What POST /commits takes. */

import { type ChangeTarget, parseCommit } from '../../../core/commits/commit-request';
import { LIMITS } from '../../../core/limits';

type Body = Record<string, unknown>;

const UPLOAD = '01KAG8Y2M4Q7T9V1X3Z5B7D9F1';
const DESCRIBED = {
  content_type: 'text/plain',
  cache_control: 'no-store',
  content_disposition: 'inline',
  content_encoding: 'gzip',
  content_language: 'de',
  metadata: { a: 'b' },
  expires_at: '2027-01-31T12:00:00+01:00',
};
const CONTENT = {
  contentType: 'text/plain',
  headers: {
    'cache-control': 'no-store',
    'content-disposition': 'inline',
    'content-encoding': 'gzip',
    'content-language': 'de',
  },
  metadata: { a: 'b' },
  expiresAt: '2027-01-31T11:00:00.000Z',
};
const remove = { op: 'delete', key: 'a' };

const parse = (changes: unknown, more: Body = {}, authorize = (_: ChangeTarget) => {}) =>
  parseCommit({ bucket: 'photos', changes, ...more }, authorize);
const parseOne = (change: unknown) => parse([change]).changes[0];

test.each<[Body, Body]>([
  [
    { op: 'put', key: 'a', content: 'YQ==' },
    { op: 'put', key: 'a', body: Buffer.from('a'), content: { headers: {} } },
  ],
  [
    { op: 'put', key: 'a', content: '', ...DESCRIBED },
    { op: 'put', key: 'a', body: Buffer.alloc(0), content: CONTENT },
  ],
  [
    { op: 'put', key: 'a', upload_id: UPLOAD, if_match: 'e', if_none_match: '*' },
    { op: 'put', key: 'a', uploadId: UPLOAD, ifMatch: '"e"', ifNoneMatch: '*' },
  ],
  [
    { op: 'copy', key: 'a', from: { key: 'b' } },
    { op: 'copy', key: 'a', from: { key: 'b' }, content: { headers: {} } },
  ],
  [
    { op: 'copy', key: 'a', from: { bucket: 'other', key: 'a', version: 1 }, ...DESCRIBED },
    { op: 'copy', key: 'a', from: { bucket: 'other', key: 'a', version: 1 }, content: CONTENT },
  ],
  [
    { op: 'copy', key: 'a', from: { bucket: 'photos', key: 'a' }, if_none_match: '*' },
    { op: 'copy', key: 'a', from: { key: 'a' }, content: { headers: {} }, ifNoneMatch: '*' },
  ],
  [
    { op: 'move', key: 'a', from: { key: 'b' }, if_match: '"e"' },
    { op: 'move', key: 'a', from: { key: 'b' }, ifMatch: '"e"' },
  ],
  [
    { op: 'patch', key: 'a', ...DESCRIBED },
    { op: 'patch', key: 'a', content: CONTENT },
  ],
  [
    { op: 'patch', key: 'a', expires_at: null },
    { op: 'patch', key: 'a', content: { headers: {}, expiresAt: null } },
  ],
  [
    { op: 'patch', key: 'a', metadata: {} },
    { op: 'patch', key: 'a', content: { headers: {}, metadata: {} } },
  ],
  [remove, { op: 'delete', key: 'a', ifExists: false }],
  [
    { op: 'delete', key: 'a', if_exists: false },
    { op: 'delete', key: 'a', ifExists: false },
  ],
  [
    { op: 'delete', key: 'a', if_exists: true, if_match: '*' },
    { op: 'delete', key: 'a', ifExists: true, ifMatch: '*' },
  ],
])('parseCommit parses the change %j', (body, change) => {
  expect(parseOne(body)).toStrictEqual(change);
});

test('parseCommit parses the conditions of the commit', () => {
  const changes = [{ op: 'delete', key: 'a', ifExists: false }];
  expect(parse([remove])).toStrictEqual({ bucket: 'photos', changes });
  expect(parse([remove], { if_cursor: 0, bucket_id: '0123456789ab' })).toStrictEqual({
    ...{ bucket: 'photos', ifCursor: 0, bucketId: '0123456789ab' },
    changes,
  });
});

test.each<[string, unknown, string]>([
  ['no list', remove, 'changes'],
  ['no change', [], 'changes'],
  [
    'too many changes, however wrong these are',
    Array.from({ length: LIMITS.commitChanges + 1 }, () => 7),
    'changes',
  ],
  [
    'a move too many',
    Array.from({ length: LIMITS.commitChanges }, (_, n) => ({
      ...{ op: n === 0 ? 'move' : 'delete', key: `k${n}`, from: { key: 'from' } },
    })),
    'changes',
  ],
  ['a number', [7], 'changes[0]'],
  ['an array', [remove, []], 'changes[1]'],
  ['an unknown operation', [{ op: 'toString', key: 'a' }], 'changes[0].op'],
  ['an operation that is no text', [{ op: ['put'], key: 'a', content: '' }], 'changes[0].op'],
  ['a key that is no key', [{ op: 'delete', key: '' }], 'changes[0].key'],
  ['a key that is changed twice', [remove, { ...remove }], 'changes[1].key'],
  ['a move to where it is', [{ op: 'move', key: 'a', from: { key: 'a' } }], 'changes[0].from.key'],
  ['a source that is no object', [{ op: 'copy', key: 'a', from: 'b' }], 'changes[0].from'],
  ['a source that is null', [{ op: 'move', key: 'a', from: null }], 'changes[0].from'],
  [
    'a source with a wrong key',
    [{ op: 'copy', key: 'a', from: { key: 7 } }],
    'changes[0].from.key',
  ],
  [
    'a source in a bucket of a wrong name',
    [{ op: 'copy', key: 'a', from: { bucket: '', key: 'b' } }],
    'changes[0].from.bucket',
  ],
  [
    'a move from another bucket',
    [{ op: 'move', key: 'a', from: { bucket: 'other', key: 'b' } }],
    'changes[0].from.bucket',
  ],
  [
    'an unknown field of a source',
    [{ op: 'copy', key: 'a', from: { key: 'b', etag: 'e' } }],
    'changes[0].from.etag',
  ],
  ...[0, 1.5, '1', null].map((version): [string, unknown, string] => [
    `version ${JSON.stringify(version)} of a source`,
    [{ op: 'copy', key: 'a', from: { key: 'b', version } }],
    'changes[0].from.version',
  ]),
  ['content that is no text', [{ op: 'put', key: 'a', content: 7 }], 'changes[0].content'],
  ['base64 without padding', [{ op: 'put', key: 'a', content: 'YQ' }], 'changes[0].content'],
  ['base64 of URLs', [{ op: 'put', key: 'a', content: '_-8=' }], 'changes[0].content'],
  ['a wrong upload_id', [{ op: 'put', key: 'a', upload_id: 'x' }], 'changes[0].upload_id'],
  ['a patch of nothing', [{ op: 'patch', key: 'a', if_match: '*' }], 'changes[0].op'],
  ['if_exists as a text', [{ ...remove, if_exists: 'true' }], 'changes[0].if_exists'],
  ['if_match that is no etag', [{ ...remove, if_match: '"' }], 'changes[0].if_match'],
  ['if_none_match of an etag', [{ ...remove, if_none_match: 'e' }], 'changes[0].if_none_match'],
  [
    'an expiry of a new object that is null',
    [{ op: 'put', key: 'a', content: '', expires_at: null }],
    'changes[0].expires_at',
  ],
  [
    'a patched expiry that is no time',
    [{ op: 'patch', key: 'a', expires_at: 'soon' }],
    'changes[0].expires_at',
  ],
  [
    'a content type that is no text',
    [{ op: 'patch', key: 'a', content_type: 7 }],
    'changes[0].content_type',
  ],
  [
    'a wrong content type',
    [{ op: 'copy', key: 'a', from: { key: 'b' }, content_type: 'x' }],
    'changes[0].content_type',
  ],
])('parseCommit refuses %s', (_, changes, field) => {
  expect(() => parse(changes)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: { field, rule: expect.any(String) },
    }),
  );
});

test.each<[Body, string]>([
  [{ bucket: 'X' }, 'bucket'],
  [{ bucket: undefined }, 'bucket'],
  [{ if_cursor: -1 }, 'if_cursor'],
  [{ if_cursor: 0.5 }, 'if_cursor'],
  [{ if_cursor: null }, 'if_cursor'],
  [{ bucket_id: null }, 'bucket_id'],
  [{ if_match: '*' }, 'if_match'],
])('parseCommit refuses a commit with %j', (more, field) => {
  expect(() => parse([remove], more)).toThrow(
    expect.objectContaining({ status: 400, details: expect.objectContaining({ field }) }),
  );
});

const NEEDED: Readonly<Record<string, Body>> = {
  put: { content: '' },
  copy: { from: { key: 'b' } },
  move: { from: { key: 'b' } },
  patch: { metadata: {} },
  delete: {},
};

test.each([
  ['put', ['from', 'if_exists', 'version']],
  ['copy', ['content', 'upload_id', 'if_exists']],
  ['move', ['content', 'if_exists', ...Object.keys(DESCRIBED)]],
  ['patch', ['content', 'upload_id', 'from', 'if_exists']],
  ['delete', ['content', 'from', ...Object.keys(DESCRIBED)]],
] as const)('parseCommit refuses a %s with the fields %j of other operations', (op, fields) => {
  for (const field of fields) {
    expect(() => parseOne({ op, key: 'a', ...NEEDED[op], [field]: null })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ field: `changes[0].${field}` }),
      }),
    );
  }
});

test.each(['content', ...Object.keys(DESCRIBED)])(
  'parseCommit refuses %s beside upload_id',
  (field) => {
    const change = { op: 'put', key: 'a', upload_id: UPLOAD, [field]: '' };
    const details = { field: `changes[0].${field}`, rule: 'must be absent beside upload_id' };
    expect(() => parseOne(change)).toThrow(expect.objectContaining({ details }));
  },
);

test('parseCommit asks for permission for all names before it parses the rest', () => {
  const asked: ChangeTarget[] = [];
  const changes = [
    { op: 'copy', key: 'a', from: { bucket: 'other', key: 'b' }, surprise: 1 },
    { op: 'move', key: 'c', from: { bucket: 'other', key: 'd' } },
    { op: 'delete', key: 'a', from: { key: 'e' } },
  ];
  const ask = () => parse(changes, { surprise: 1 }, (target) => void asked.push(target));
  expect(ask).toThrow(expect.objectContaining({ details: expect.anything() }));
  expect(asked).toStrictEqual([
    { op: 'copy', bucket: 'photos', key: 'a', from: { bucket: 'other', key: 'b' } },
    { op: 'move', bucket: 'photos', key: 'c', from: { bucket: 'photos', key: 'd' } },
    { op: 'delete', bucket: 'photos', key: 'a' },
  ]);
  const refusal = new Error('refused');
  const refuse = () => {
    throw refusal;
  };
  expect(() => parse(changes, { surprise: 1 }, refuse)).toThrow(refusal);
});
