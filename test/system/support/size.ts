const SMALL_SIZE = process.env.TEST_SIZE === 'small';

/**
 * One size of a load test: full in `npm run test:heavy`, small with `TEST_SIZE=small`. The
 * environment variable `name` overrides both.
 */
export function size(name: string, { small, full }: { small: number; full: number }): number {
  return Number(process.env[name] ?? (SMALL_SIZE ? small : full));
}
