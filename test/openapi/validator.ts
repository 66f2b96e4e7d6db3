/** Validates values by the schemas of the document, including its extensions. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { SCHEMAS } from '../../openapi/document';
import type { EXTENSIONS, JsonSchema } from '../../openapi/json-schema';

const encodedLength = (text: string) =>
  text
    .split('/')
    .map((segment) => (segment.isWellFormed() ? encodeURIComponent(segment) : segment))
    .join('/').length;

interface Change {
  readonly op?: string;
  readonly key?: string;
  readonly from?: { readonly key?: string };
}

const RULES: Readonly<
  Record<keyof typeof EXTENSIONS, (value: never, given: number, now: number) => boolean>
> = {
  'x-well-formed': (text: string) => text.isWellFormed(),
  'x-max-bytes': (text: string, most) => Buffer.byteLength(text) <= most,
  'x-max-encoded-length': (text: string, most) => encodedLength(text) <= most,
  'x-max-json-bytes': (value: unknown, most) => Buffer.byteLength(JSON.stringify(value)) <= most,
  'x-max-entry-bytes': (entries: Record<string, string>, most) =>
    Buffer.byteLength(Object.entries(entries).flat().join('')) <= most,
  'x-max-changes': (changes: readonly Change[], most) => {
    const keys = changes.flatMap(({ op, key, from }) => (op === 'move' ? [key, from?.key] : [key]));
    return keys.length <= most && new Set(keys).size === keys.length;
  },
  'x-max-parts': ({ size, part_size }: { size: number; part_size?: number }, most) =>
    part_size === undefined || Math.ceil(size / part_size) <= most,
  'x-future': (time: unknown, _given, now) => time === null || Date.parse(String(time)) > now,
  'x-tier': (tier: unknown) => tier === 'default',
};

/** `now`: epoch milliseconds. */
export function createValidator(now: number): (schema: JsonSchema) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
  const types = {
    'x-well-formed': 'string',
    'x-max-bytes': 'string',
    'x-max-encoded-length': 'string',
    'x-tier': 'string',
    'x-max-changes': 'array',
  };
  for (const [keyword, rule] of Object.entries(RULES)) {
    const isOfObject = keyword === 'x-max-parts' || keyword === 'x-max-entry-bytes';
    const type = isOfObject ? 'object' : types[keyword as keyof typeof types];
    ajv.addKeyword({
      keyword,
      ...(type && { type: type as 'string' }),
      validate: (given: number, value: unknown) => rule(value as never, given, now),
    });
  }
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'http://localhost'));
  ajv.addSchema(absolute({ $defs: SCHEMAS }), 'document');
  return (schema) => ajv.compile(absolute(schema));
}

/** The schema with references that resolve in the document from anywhere. */
function absolute(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/'),
  );
}
