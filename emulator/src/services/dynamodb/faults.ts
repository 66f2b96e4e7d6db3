/**
 * Errors of AWS that a local engine never has, for tests. The SDK sees them as it does from AWS.
 */
import { randomNumbers } from '../../values/random-numbers';
import { DynamoDbError } from './protocol/errors';

/**
 * - `TransactionConflict`: another transaction holds an item; nothing is written.
 * - `TransactionInProgress`: an earlier attempt with this token is running; nothing is written.
 * - `ProvisionedThroughputExceeded`, `Throttling`: nothing is written.
 * - `InternalServerError`, `ConnectionLost`: before anything is written.
 * - `InternalServerErrorAfter`, `ConnectionLostAfter`: the write happens, its response is lost.
 * - `Unprocessed`: a batch call performs its first entry only.
 * An operation has only those faults that it can have in AWS: a Query never conflicts.
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
  /** undefined: a delay without an error. */
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

/** Chooses the fault of each call of a client, after authorization and validation. */
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
 * Random faults: the same seed and the same calls give the same faults. The first rule that fires
 * decides.
 */
export class RandomFaults implements Faults {
  /** How often each kind has happened; `Delay` for a rule without a kind. */
  readonly fired = new Map<FaultKind | 'Delay', number>();
  private readonly random: () => number;

  constructor(
    seed: number,
    /** May be changed at any time. */
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
 * The error of a fault that prevents the call. `entries`: the number of entries of a transaction,
 * each with a cancellation reason.
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

/** Only the first entry has a reason, as when AWS reports a conflict on one item. */
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
