/**
 * Run by jest ahead of each spec: what the spec saw of the document is told to run.ts when it ends.
 */
import { writeTally } from './document';

afterAll(() => {
  const { TALLY } = process.env;
  if (TALLY) writeTally(TALLY);
});
