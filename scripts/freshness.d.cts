/** Files and folders, from the root of the repository, that build and synth read. */
export const INPUTS: readonly string[];

/**
 * Runs `make`, which builds and synthesizes, unless dist/ and cdk.out/ below `root` hold what it
 * would write. With CI=true it always runs.
 */
export function prepare(
  root: string,
  make: () => void,
  environment?: Readonly<Record<string, string | undefined>>,
): void;
