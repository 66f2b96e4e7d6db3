import { messageId, parseAction, parseSubscribeQuery } from '../../../core/channel/actions';

const query = (parameters: Record<string, string>) => (name: string) => parameters[name];

test('parseAction returns the action of a message', () => {
  expect(parseAction('{"action":"subscribe","bucket":"photos"}')).toEqual({
    action: 'subscribe',
    bucket: 'photos',
    prefix: '',
  });
  const whole = { bucket: 'photos', cursor: 8, prefix: 'a/', bucket_id: 'b00000000001' };
  expect(parseAction(JSON.stringify({ action: 'subscribe', ...whole }))).toEqual({
    action: 'subscribe',
    bucket: 'photos',
    cursor: 8,
    prefix: 'a/',
    bucketId: 'b00000000001',
  });
  expect(parseAction('{"action":"ping","cursors":{"photos":3}}')).toEqual({
    action: 'ping',
    cursors: new Map([['photos', 3]]),
    consumed: new Map(),
  });
  expect(parseAction('{"action":"ping"}')).toEqual({
    action: 'ping',
    cursors: new Map(),
    consumed: new Map(),
  });
});

const buckets = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`bucket-${n}`, n]));

test('parseAction accepts values at the limits', () => {
  const ping = JSON.stringify({ action: 'ping', id: 'x'.repeat(64), cursors: buckets(50) });
  expect(parseAction(ping)).toMatchObject({ cursors: new Map(Object.entries(buckets(50))) });
  expect(parseAction(`{"action":"ping"}${' '.repeat(8175)}`)).toMatchObject({ action: 'ping' });
  const largest = { action: 'subscribe', bucket: 'photos', cursor: Number.MAX_SAFE_INTEGER };
  expect(parseAction(JSON.stringify({ ...largest, id: '1' }))).toEqual({ ...largest, prefix: '' });
});

test('parseAction returns the consumer and its consumed cursor', () => {
  const subscribe = { action: 'subscribe', bucket: 'photos', consumer: 'indexer' };
  expect(parseAction(JSON.stringify(subscribe))).toEqual({ ...subscribe, prefix: '' });
  const end = { action: 'unsubscribe', bucket: 'photos' };
  expect(parseAction(JSON.stringify(end))).toEqual(end);
  expect(parseAction(JSON.stringify({ ...end, consumed: 0 }))).toEqual({ ...end, consumed: 0 });
  const ping = { action: 'ping', cursors: { photos: 3, music: 0 }, consumed: { photos: 3 } };
  expect(parseAction(JSON.stringify(ping))).toEqual({
    action: 'ping',
    cursors: new Map(Object.entries(ping.cursors)),
    consumed: new Map([['photos', 3]]),
  });
});

test.each([
  ['', 'message'],
  ['{', 'message'],
  ['[]', 'message'],
  ['null', 'message'],
  ['"ping"', 'message'],
  [JSON.stringify({ action: 'ping', x: 'x'.repeat(8192) }), 'message'],
  ['{}', 'action'],
  ['{"action":"publish"}', 'action'],
  ['{"action":["ping"]}', 'action'],
  ['{"action":"__proto__"}', 'action'],
  ['{"action":"subscribe"}', 'bucket'],
  ['{"action":"subscribe","bucket":"X"}', 'bucket'],
  ['{"action":"subscribe","bucket":"photos","cursor":-1}', 'cursor'],
  ['{"action":"subscribe","bucket":"photos","cursor":1.5}', 'cursor'],
  ['{"action":"subscribe","bucket":"photos","cursor":"8"}', 'cursor'],
  ['{"action":"subscribe","bucket":"photos","cursor":null}', 'cursor'],
  ['{"action":"subscribe","bucket":"photos","cursor":9007199254740992}', 'cursor'],
  ['{"action":"subscribe","bucket":"photos","prefix":7}', 'prefix'],
  [`{"action":"subscribe","bucket":"photos","prefix":"${'ä'.repeat(451)}"}`, 'prefix'],
  ['{"action":"subscribe","bucket":"photos","prefix":"\\ud800"}', 'prefix'],
  ['{"action":"subscribe","bucket":"photos","bucket_id":"x"}', 'bucket_id'],
  ['{"action":"subscribe","bucket":"photos","form":8}', 'form'],
  ['{"action":"unsubscribe","bucket":"photos","cursor":8}', 'cursor'],
  ['{"action":"ping","id":7}', 'id'],
  [`{"action":"ping","id":"${'x'.repeat(65)}"}`, 'id'],
  ['{"action":"ping","id":""}', 'id'],
  ['{"action":"subscribe","bucket":"photos","consumer":"-"}', 'consumer'],
  ['{"action":"unsubscribe","bucket":"photos","consumed":-1}', 'consumed'],
  ['{"action":"unsubscribe","bucket":"X","consumed":1}', 'bucket'],
  ['{"action":"ping","cursors":{"photos":1},"consumed":{"photos":2}}', 'consumed.photos'],
  ['{"action":"ping","consumed":{"photos":0}}', 'consumed.photos'],
  ['{"action":"ping","consumed":7}', 'consumed'],
  [`{"action":"ping"}${' '.repeat(8176)}`, 'message'],
  ['{"action":"ping","cursors":[]}', 'cursors'],
  ['{"action":"ping","cursors":{"X":1}}', 'cursors'],
  ['{"action":"ping","cursors":{"photos":"1"}}', 'cursors.photos'],
  [JSON.stringify({ action: 'ping', cursors: buckets(51) }), 'cursors'],
])('parseAction rejects %j with the field %s', (text, field) => {
  expect(() => parseAction(text)).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: expect.objectContaining({ field }),
    }),
  );
});

test.each([
  ['{}', 'is required'],
  ['{', 'must be JSON of at most 16 levels'],
  [`${'['.repeat(17)}${']'.repeat(17)}`, 'must be JSON of at most 16 levels'],
  ['[]', 'must be a JSON object'],
])('parseAction says what is wrong with %s: %s', (text, rule) => {
  expect(() => parseAction(text)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ rule }) }),
  );
});

test('an error about a message that is no JSON has its cause', () => {
  expect(() => parseAction('{')).toThrow(
    expect.objectContaining({ cause: expect.any(SyntaxError) }),
  );
});

test('messageId returns the id of an otherwise invalid message', () => {
  expect(messageId('{"action":"publish","id":"7"}')).toBe('7');
  expect(messageId(`{"id":"${'x'.repeat(64)}"}`)).toBe('x'.repeat(64));
  for (const id of ['', 'x'.repeat(65), 7, null, ['7'], { a: 1 }]) {
    expect(messageId(JSON.stringify({ action: 'ping', id }))).toBeUndefined();
  }
  for (const text of ['', '{"id":"7"', '["7"]', 'null']) expect(messageId(text)).toBeUndefined();
  expect(messageId(JSON.stringify({ id: '7', x: 'x'.repeat(8192) }))).toBeUndefined();
  expect(messageId(`{"id":"7"}${' '.repeat(8182)}`)).toBe('7');
});

test('parseSubscribeQuery parses the numbers of a query strictly', () => {
  expect(parseSubscribeQuery(query({ bucket: 'photos', cursor: '8' }))).toEqual({
    bucket: 'photos',
    cursor: 8,
    prefix: '',
  });
  const whole = { bucket: 'photos', cursor: '9007199254740991', prefix: 'a/' };
  expect(parseSubscribeQuery(query({ ...whole, bucket_id: 'b00000000001' }))).toEqual({
    bucket: 'photos',
    cursor: Number.MAX_SAFE_INTEGER,
    prefix: 'a/',
    bucketId: 'b00000000001',
  });
  expect(parseSubscribeQuery(query({ bucket: 'photos' }))).toEqual({
    bucket: 'photos',
    prefix: '',
  });
  for (const cursor of ['x8', '8x', '', '-1', '1e3', ' 8', '0x8', '99999999999999999']) {
    expect(() => parseSubscribeQuery(query({ bucket: 'photos', cursor }))).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ field: 'cursor' }) }),
    );
  }
});
