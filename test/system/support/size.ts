/** `npm run test:heavy` sets it. */
const FULL_SIZE = process.env.TEST_SIZE === 'full';

/**
 * One size of a load test: small in `npm test`, full in `npm run test:heavy`. The environment
 * variable `name` overrides both.
 */
export function size(name: string, { small, full }: { small: number; full: number }): number {
  return Number(process.env[name] ?? (FULL_SIZE ? full : small));
}
