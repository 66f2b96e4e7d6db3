/** The measured operations, and how often each is repeated. */
import type { OperationName, Task } from './task';

export const SIZES = [1024, 64 * 1024, 4 * 1024 * 1024] as const;

/** Objects of each size. Reads use one after another. */
export const OBJECTS_PER_SIZE = 8;

/** The client over HTTP writes to `http`, the SDK client to `bare`. Both list `listed`. */
export const BUCKETS = { http: 'bench-http', bare: 'bench-bare', listed: 'bench-listed' } as const;

export interface ChannelPlan {
  /** PUTs whose delay until the follower receives the change is measured. */
  readonly puts: number;
  /** Changes of a round. */
  readonly changes: number;
  /** Rounds of each number of followers. */
  readonly rounds: number;
  /** Numbers of followers: at most 100, the limit of channels of one key. */
  readonly followers: readonly number[];
}

export interface Plan {
  /** Rounds of each side, alternately: A B A B … */
  readonly rounds: number;
  /** Objects of the listed bucket. */
  readonly listed: number;
  readonly tasks: readonly Task[];
  /** New processes for each bundle. */
  readonly loads: number;
  /** Bytes of the large file. */
  readonly largeFile: number;
  readonly channel: ChannelPlan;
  /** Objects in the two buckets whose pages are compared. */
  readonly listings: readonly [number, number];
  readonly handlers: HandlersPlan;
  /** Repetitions of each transfer of one large file, and how often one is killed. */
  readonly transfers: { readonly rounds: number; readonly kills: number };
}

export interface HandlersPlan {
  /** Rounds of each build, in turns: A B, B A, A B … */
  readonly rounds: number;
  /** The share of an operation's `count` that a round repeats it. */
  readonly share: number;
  /** New processes for each function. */
  readonly loads: number;
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
    // Few objects of 4 MiB: each stays on the disk until the bench ends.
    count: size > 1_000_000 ? 8 * Math.ceil(concurrency / 4) : 500 * Math.ceil(concurrency / 4),
    milliseconds: 1500,
  })),
  loads: 31,
  largeFile: 200_000_000,
  channel: { puts: 100, changes: 1000, rounds: 3, followers: [0, 1, 20, 100] },
  listings: [1000, 100_000],
  handlers: { rounds: 7, share: 1, loads: 15 },
  transfers: { rounds: 3, kills: 10 },
};

/** Only shows that the bench runs. The figures are meaningless. */
export const QUICK: Plan = {
  rounds: 1,
  listed: 101,
  tasks: tasks(() => ({ count: 2, milliseconds: 1000 })),
  loads: 1,
  largeFile: 20_000_000,
  channel: { puts: 2, changes: 100, rounds: 1, followers: [0, 1, 5] },
  listings: [1000, 2000],
  handlers: { rounds: 1, share: 0.1, loads: 1 },
  transfers: { rounds: 1, kills: 2 },
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
