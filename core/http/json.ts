/** Parses JSON of others. */
import { LIMITS } from '../limits';

/** Throws a SyntaxError, also for values that are nested deeper than `LIMITS.jsonLevels`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeeper(value, LIMITS.jsonLevels)) throw new SyntaxError('nested too deeply');
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
