/** Parses JSON from untrusted sources. */
import { invalid } from '../errors';
import { LIMITS } from '../limits';

/** Parses JSON. Throws a SyntaxError, also for values nested deeper than `LIMITS.jsonLevels`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isDeeper(value, LIMITS.jsonLevels)) throw new SyntaxError('nested too deeply');
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Throws invalid_request for a field that is not `known`: a mistyped optional field must not be
 * ignored. `at` is the path of `body` in the request body, such as `multipart.`.
 */
export function onlyFields(body: JsonObject, known: readonly string[], at = ''): void {
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid(`${at}${unknown}`, `is not a known field; known are ${known.join(', ')}`);
  }
}

/** Reports whether the value is an integer from `from` to `to` that a double holds exactly. */
export function isWholeNumber(
  value: unknown,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= from && value <= to;
}
