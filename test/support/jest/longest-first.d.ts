interface File {
  readonly path: string;
}

/** A sequencer of Jest, with the parts of it that the tests use. */
declare class LongestFirst {
  sort<T extends File>(tests: readonly T[]): T[];
  time(test: File): number | undefined;
  hasFailed(test: File): boolean;
}

export = LongestFirst;
