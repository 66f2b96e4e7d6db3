/** Files and folders, from the root of the repository, that build and synth read. */
export const INPUTS: readonly string[];

/** Runs `make`, which does the step, unless dist/ or cdk.out/ holds what it would write. */
export function prepare(
  root: string,
  step: 'build' | 'synth',
  make: () => void,
  environment?: Readonly<Record<string, string | undefined>>,
): void;
