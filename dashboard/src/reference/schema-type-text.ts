/** A short text for a JSON Schema: the type and the limits of a value. */

type Fields = Readonly<Record<string, unknown>>;

export function typeText(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return '';
  const { type, format, pattern, ...rest } = schema as Fields;
  const values = rest.enum;
  if (Array.isArray(values)) return `one of ${values.map(String).join(', ')}`;
  if (rest.const !== undefined) return String(rest.const);
  const parts = [
    Array.isArray(type) ? type.join(' or ') : String(type ?? ''),
    typeof format === 'string' ? `(${format})` : '',
    range(rest.minimum, rest.maximum, ''),
    range(rest.minLength, rest.maxLength, ' characters'),
    range(rest.minItems, rest.maxItems, ' entries'),
    typeof pattern === 'string' ? `matching ${pattern}` : '',
    rest.default === undefined ? '' : `default ${JSON.stringify(rest.default)}`,
  ];
  return parts
    .filter((part) => part !== '')
    .join(', ')
    .replace(', (', ' (');
}

function range(from: unknown, to: unknown, unit: string): string {
  if (typeof from === 'number' && typeof to === 'number') return `${from} to ${to}${unit}`;
  if (typeof from === 'number') return `at least ${from}${unit}`;
  return typeof to === 'number' ? `at most ${to}${unit}` : '';
}
