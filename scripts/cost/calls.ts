/**
 * The AWS calls of each operation. `test/lambdas/aws-calls/` counts the same
 * calls on the running code, so that a change of the code changes the bill.
 */

/**
 * Bytes of an item with its attribute names, for keys of about 40 characters; a test in
 * test/scripts/cost measures them.
 */
export const ITEM_BYTES = {
  bucket: 150,
  object: 500,
  /** Of a new object: contains its record. */
  creation: 700,
  /** Contains the record and the record that it superseded. */
  change: 1200,
  /** Contains the tombstone and the record that it superseded. */
  deletion: 900,
  upload: 500,
  /** The response to a repeatable request, with a descriptor. */
  replay: 1000,
  apiKey: 500,
  rate: 300,
  link: 300,
  connection: 200,
  consumer: 120,
  targetCursor: 200,
  nothing: 0,
} as const;

export type Item = keyof typeof ITEM_BYTES;

export interface Call {
  /** The name of the call in the SDK. */
  readonly name: string;
  /** Request units of an on-demand table; absent for other services. */
  readonly reads?: number;
  readonly writes?: number;
}

const KIB = 1024;

/** Of a consistent read: one unit for each 4 KiB, at least one. */
export const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / (4 * KIB)));
/** Of a write: one unit for each KiB, at least one. */
export const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / KIB));

const get = (item: Item): Call => ({ name: 'GetItem', reads: readUnits(ITEM_BYTES[item]) });
const write =
  (name: string) =>
  (item: Item): Call => ({ name, writes: writeUnits(ITEM_BYTES[item]) });
const [put, update, remove] = [write('PutItem'), write('UpdateItem'), write('DeleteItem')];
const query = (item: Item, count = 0): Call => ({
  name: 'Query',
  reads: readUnits(ITEM_BYTES[item] * count),
});
/** The size of each item is rounded up separately. */
const batch = (...items: Item[]): Call => ({
  name: 'BatchGetItem',
  reads: sum(items.map((item) => readUnits(ITEM_BYTES[item]))),
});
const batchWrite = (...items: Item[]): Call => ({
  name: 'BatchWriteItem',
  writes: sum(items.map((item) => writeUnits(ITEM_BYTES[item]))),
});
/** DynamoDB bills two writes for each item of a transaction. */
const transact = (...items: Item[]): Call => ({
  name: 'TransactWriteItems',
  writes: 2 * sum(items.map((item) => writeUnits(ITEM_BYTES[item]))),
});
/** Also writes an index, which takes a unit for the keys of the item. */
const indexed = (one: Call): Call => ({ ...one, writes: (one.writes ?? 0) + 1 });
const call = (name: string): Call => ({ name });
const several = (item: Item): Item[] => Array.from({ length: 32 }, () => item);
const times = (count: number, one: Call): Call[] => Array.from({ length: count }, () => one);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const commit = (entry: Item) => [update('bucket'), transact(entry, 'object')];
const putting = (entry: Item) => [get('object'), call('PutObject'), ...commit(entry)];

export const OPERATIONS = {
  /** A PUT that creates an object. */
  create: putting('creation'),
  /** A PUT that replaces one. */
  put: putting('change'),
  delete: [get('object'), ...commit('deletion')],
  /** In addition, of a write with an Idempotency-Key, whose transaction has an item more. */
  idempotency: [get('replay')],
  /** A commit of 32 deletions. */
  deleteSeveral: [
    batch(...several('object')),
    update('bucket'),
    transact(...several('deletion'), ...several('object')),
  ],
  /** A commit of one copy to a new key. */
  copy: [batch('object', 'nothing'), call('CopyObject'), ...commit('creation')],
  /** A copy of more than 5 GiB begins. */
  beginCopy: [
    batch('object', 'nothing'),
    get('bucket'),
    call('CreateMultipartUpload'),
    indexed(transact('upload', 'nothing')),
  ],
  /** The janitor makes one of three parts, and finds it committed in its next run. */
  copyParts: [
    ...times(2, query('nothing')),
    ...times(5, put('nothing')),
    ...times(2, get('upload')),
    call('ListParts'),
    ...times(3, call('UploadPartCopy')),
    call('CompleteMultipartUpload'),
    remove('nothing'),
  ],
  get: [get('object'), call('GetObject')],
  head: [get('object')],
  /** A page of 100 objects. */
  list: [...times(2, get('bucket')), query('object', 100)],
  signGet: [get('object')],
  signPut: [get('bucket'), indexed(put('upload'))],
  /** The same with an Idempotency-Key. */
  signPutOnce: [get('bucket'), get('replay'), indexed(transact('upload', 'replay'))],
  /** An upload by signed URL that S3 reports. */
  ingest: [
    get('upload'),
    get('object'),
    get('apiKey'),
    call('HeadObject'),
    update('bucket'),
    indexed(transact('change', 'object', 'upload')),
  ],
  /** A link with which a browser or a program gets the bytes. */
  openLink: [get('link'), get('object'), get('apiKey'), update('link')],
  createLink: [get('bucket'), get('object'), get('apiKey'), put('link')],
  createToken: [get('apiKey')],
  /** A lease of tokens, for a request whose key has none left at this instance. */
  lease: [update('rate')],
  /** Of a key for which the gateway has no cached result. */
  authorize: [get('apiKey')],
  /** A page of changes that ends at the head. */
  page: times(2, get('bucket')),
  /** In addition, 20 s of waiting for a change. */
  waitForChanges: [...times(23, get('bucket')), get('apiKey'), ...times(4, update('rate'))],
  handshake: [
    ...times(2, update('rate')),
    ...times(2, get('apiKey')),
    ...times(2, put('connection')),
  ],
  subscribe: [
    update('connection'),
    update('rate'),
    ...times(6, get('bucket')),
    transact('connection', 'connection'),
    call('PostToConnection'),
  ],
  ping: [
    update('connection'),
    update('rate'),
    ...times(3, get('bucket')),
    call('PostToConnection'),
  ],
  /** A ping that stores the cursor of a consumer. */
  pingOfConsumer: [
    update('connection'),
    update('rate'),
    update('consumer'),
    ...times(3, get('bucket')),
    call('PostToConnection'),
  ],
  disconnect: [
    update('connection'),
    batchWrite('connection', 'connection'),
    remove('connection'),
    update('rate'),
  ],
  /** One change of a bucket; the posts to its subscribers are counted as `post`. */
  publishOne: [
    ...times(3, get('bucket')),
    query('change', 1),
    ...times(4, query('connection')),
    update('bucket'),
  ],
  /** Several changes of a bucket at once. */
  publishSeveral: [
    ...times(3, get('bucket')),
    ...times(8, query('change', 1)),
    ...times(4, query('connection')),
    update('bucket'),
  ],
  /**
   * The lease of one run that is pushed to subscribers, and the look for newer changes after it.
   */
  pushLease: [update('bucket'), get('bucket')],
  /** The end of the pause after a push, with ten subscribers or more. */
  pushPause: [update('bucket')],
  post: [call('PostToConnection')],
  /** One change of a bucket to one target of `onChange`, without the call of the target itself. */
  notifyOne: [
    ...times(2, get('bucket')),
    get('targetCursor'),
    update('targetCursor'),
    query('change', 1),
    update('targetCursor'),
    get('bucket'),
  ],
  /** Several changes, up to a hundred. */
  notifySeveral: [
    ...times(2, get('bucket')),
    get('targetCursor'),
    update('targetCursor'),
    ...times(8, query('change', 1)),
    update('targetCursor'),
    get('bucket'),
  ],
  /** To a target that has accepted every change. */
  notifyNothing: [...times(2, get('bucket')), get('targetCursor')],
  /** The scheduled sweep of function `targets` over one quiet bucket, with one target. */
  sweep: [update('targetCursor'), ...times(3, query('nothing')), batch('bucket', 'bucket')],
  /** The janitor's run over one quiet bucket; each further bucket adds `quietBucket`. */
  maintain: [
    ...times(3, query('nothing')),
    get('nothing'),
    batch('bucket', 'bucket'),
    get('change'),
  ],
  quietBucket: [batch('bucket', 'bucket'), get('change')],
  /** The janitor's run that finds no copy to make. */
  copyNothing: [query('nothing')],
  /** The janitor's run that finds no upload that has expired. */
  settleNothing: [get('nothing'), ...times(8, query('nothing')), put('nothing')],
  /** The janitor's run that finds no object that has expired. */
  expireNothing: [...times(2, get('nothing')), ...times(24, query('nothing'))],
} as const satisfies Readonly<Record<string, readonly Call[]>>;

export type OperationName = keyof typeof OPERATIONS;

/** Returns how often the operations make each call: `{ GetItem: 2, … }`. */
export function callsOf(...names: OperationName[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of names.flatMap((operation): readonly Call[] => OPERATIONS[operation])) {
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Returns the request units of one operation. */
export function unitsOf(name: OperationName): { readonly reads: number; readonly writes: number } {
  const calls: readonly Call[] = OPERATIONS[name];
  return {
    reads: sum(calls.map(({ reads = 0 }) => reads)),
    writes: sum(calls.map(({ writes = 0 }) => writes)),
  };
}
