/** Runs before each spec: reports to run.ts at its end which responses the spec received. */
import { writeTally } from './document';

afterAll(() => {
  const { TALLY } = process.env;
  if (TALLY) writeTally(TALLY);
});
