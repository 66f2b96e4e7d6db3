/**
 * What DynamoDB does in bad weather and no local engine ever does. Everything looks to the SDK as
 * it does from AWS.
 */
import { DynamoDbError } from './errors';

/**
 * - `TransactionConflict`: another transaction holds an item; nothing is written.
 * - `TransactionInProgress`: an earlier attempt with this token has not ended; nothing is written.
 * - `ProvisionedThroughputExceeded`, `Throttling`: nothing is written.
 * - `InternalServerError`, `ConnectionLost`: before anything is written.
 * - `InternalServerErrorAfter`, `ConnectionLostAfter`: the write happens, its reply is lost.
 * - `Unprocessed`: a batch call does its first entry only.
 * A fault that an operation cannot suffer is left out: a Query never conflicts.
 */
export type FaultKind =
  | 'TransactionConflict'
  | 'TransactionInProgress'
  | 'ProvisionedThroughputExceeded'
  | 'Throttling'
  | 'InternalServerError'
  | 'InternalServerErrorAfter'
  | 'ConnectionLost'
  | 'ConnectionLostAfter'
  | 'Unprocessed';

export interface Fault {
  /** undefined: only the delay. */
  readonly kind?: FaultKind;
  /** Waits before the request is forwarded. */
  readonly delayMilliseconds?: number;
}

export interface Call {
  /** `TransactWriteItems` */
  readonly operation: string;
  readonly tables: readonly string[];
  /** ARN of the caller. */
  readonly caller: string;
}

/** Decides what befalls each call of a client, after authorization and validation. */
export interface Faults {
  next(call: Call): Fault | undefined;
}

export interface FaultRule extends Fault {
  /** 0 to 1. */
  readonly probability: number;
  /** @default - every operation */
  readonly operations?: readonly string[];
  /** @default - every table */
  readonly tables?: readonly string[];
}

/**
 * Faults by chance: the same seed and the same calls give the same faults. The first rule that hits
 * decides.
 */
export class RandomFaults implements Faults {
  /** How often each kind has happened; `Delay` for a rule without a kind. */
  readonly fired = new Map<FaultKind | 'Delay', number>();
  private readonly random: () => number;

  constructor(
    seed: number,
    /** May be replaced at any time. */
    public rules: readonly FaultRule[] = [],
  ) {
    this.random = randomNumbers(seed);
  }

  next(call: Call): Fault | undefined {
    for (const rule of this.rules) {
      if (!applies(rule, call) || this.random() >= rule.probability) continue;
      const name = rule.kind ?? 'Delay';
      this.fired.set(name, (this.fired.get(name) ?? 0) + 1);
      return rule;
    }
    return undefined;
  }
}

function applies(rule: FaultRule, call: Call): boolean {
  return (
    (rule.operations?.includes(call.operation) ?? true) &&
    (rule.tables === undefined || call.tables.some((table) => rule.tables?.includes(table))) &&
    (rule.kind === undefined || isApplicable(call.operation, rule.kind))
  );
}

const SINGLE_WRITES = ['PutItem', 'UpdateItem', 'DeleteItem'];

function isApplicable(operation: string, kind: FaultKind): boolean {
  const transaction = operation.startsWith('Transact');
  if (kind === 'TransactionConflict') return transaction || SINGLE_WRITES.includes(operation);
  if (kind === 'TransactionInProgress') return operation === 'TransactWriteItems';
  if (kind === 'Unprocessed') return operation.startsWith('Batch');
  return true;
}

/**
 * The error of a fault that prevents the call. `entries`: of a transaction, to give each its
 * reason.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html#API_TransactWriteItems_Errors
 */
export function faultError(kind: FaultKind, operation: string, entries: number): DynamoDbError {
  const transaction = operation.startsWith('Transact');
  switch (kind) {
    case 'TransactionConflict':
      return transaction
        ? canceled('TransactionConflict', 'Transaction is ongoing for the item', entries)
        : new DynamoDbError('TransactionConflictException', 'Transaction is ongoing for the item');
    case 'TransactionInProgress':
      return new DynamoDbError(
        'TransactionInProgressException',
        'The transaction with the given request token is already in progress.',
      );
    case 'ProvisionedThroughputExceeded':
      return transaction
        ? canceled('ProvisionedThroughputExceeded', THROUGHPUT, entries)
        : new DynamoDbError('ProvisionedThroughputExceededException', THROUGHPUT);
    case 'Throttling':
      return transaction
        ? canceled('ThrottlingError', THROTTLED, entries)
        : new DynamoDbError('ThrottlingException', THROTTLED);
    default:
      return new DynamoDbError('InternalServerError', 'Internal server error', {}, 500);
  }
}

const THROUGHPUT =
  'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.';
const THROTTLED =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.';

/** The first entry has the reason, the others none: as AWS reports a conflict on one item. */
function canceled(code: string, message: string, entries: number): DynamoDbError {
  const reasons = Array.from({ length: entries }, (_, index) =>
    index === 0 ? { Code: code, Message: message } : { Code: 'None' },
  );
  const codes = reasons.map((reason) => reason.Code).join(', ');
  return new DynamoDbError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  );
}

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
