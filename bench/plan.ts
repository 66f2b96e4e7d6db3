/** What is measured, and for how long. */
import type { OperationName, Task } from './task';

export const SIZES = [1024, 64 * 1024, 4 * 1024 * 1024] as const;

/** Objects of each size that reads take turns on. */
export const OBJECTS_PER_SIZE = 8;

/** `http` belongs to the service's client, `bare` to the SDK's; both read `listed`. */
export const BUCKETS = { http: 'bench-http', bare: 'bench-bare', listed: 'bench-listed' } as const;

export interface ChannelPlan {
  /** PUTs whose delay until the follower has them is measured. */
  readonly puts: number;
  /** Changes of a round, and rounds of each number of followers, in turns. */
  readonly changes: number;
  readonly rounds: number;
  /** At most 100, the channels of one key. */
  readonly followers: readonly number[];
}

export interface Plan {
  /** Rounds of each side, in turns: A B A B … */
  readonly rounds: number;
  /** Objects of the listed bucket. */
  readonly listed: number;
  readonly tasks: readonly Task[];
  /** Fresh processes for each bundle. */
  readonly loads: number;
  /** Bytes. */
  readonly largeFile: number;
  readonly channel: ChannelPlan;
  /** Objects in the two buckets whose pages are compared. */
  readonly listings: readonly [number, number];
}

const OPERATIONS: readonly {
  readonly operation: OperationName;
  readonly sizes: readonly number[];
}[] = [
  { operation: 'PUT', sizes: SIZES },
  { operation: 'GET', sizes: SIZES },
  { operation: 'HEAD', sizes: SIZES },
  { operation: 'list', sizes: [0] },
  { operation: 'signed-url GET', sizes: [0] },
  { operation: 'signed-url PUT', sizes: [0] },
];

export const FULL: Plan = {
  rounds: 3,
  listed: 1000,
  tasks: tasks((size, concurrency) => ({
    // Every 4 MiB that is put stays on the disk.
    count: size > 1_000_000 ? 8 * Math.ceil(concurrency / 4) : 500 * Math.ceil(concurrency / 4),
    milliseconds: 1500,
  })),
  loads: 31,
  largeFile: 200_000_000,
  channel: { puts: 100, changes: 1000, rounds: 3, followers: [0, 1, 20, 100] },
  listings: [1000, 100_000],
};

/** Only shows that everything runs: the figures mean nothing. */
export const QUICK: Plan = {
  rounds: 1,
  listed: 101,
  tasks: tasks(() => ({ count: 2, milliseconds: 1000 })),
  loads: 1,
  largeFile: 20_000_000,
  channel: { puts: 2, changes: 100, rounds: 1, followers: [0, 1, 5] },
  listings: [1000, 2000],
};

function tasks(
  bounds: (size: number, concurrency: number) => Pick<Task, 'count' | 'milliseconds'>,
): Task[] {
  return OPERATIONS.flatMap(({ operation, sizes }) =>
    sizes.flatMap((size) =>
      [1, 16].map((concurrency) => ({
        operation,
        size,
        concurrency,
        ...bounds(size, concurrency),
      })),
    ),
  );
}
