/** The part of JSON Schema 2020-12 that the document uses, and functions that write schemas. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  /** Rules that JSON Schema cannot express: see EXTENSIONS. */
  readonly [extension: `x-${string}`]: unknown;
}

type Properties = Readonly<Record<string, JsonSchema>>;

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * An object in a response. Clients must ignore unknown fields, which later versions may add, so the
 * schema allows them.
 */
export function openObject(required: Properties, optional: Properties = {}): JsonSchema {
  const names = Object.keys(required);
  return {
    type: 'object',
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** An object in a request. The service refuses unknown fields, so the schema forbids them. */
export function closedObject(required: Properties, optional: Properties = {}): JsonSchema {
  return { ...openObject(required, optional), additionalProperties: false };
}

export function text(description: string, rules: Omit<JsonSchema, 'type'> = {}): JsonSchema {
  return { type: 'string', description, ...rules };
}

/** A whole number. */
export function whole(
  description: string,
  minimum: number,
  maximum: number,
  rules: Omit<JsonSchema, 'type'> = {},
): JsonSchema {
  return { type: 'integer', description, minimum, maximum, ...rules };
}

export function listOf(items: JsonSchema, rules: Omit<JsonSchema, 'type'> = {}): JsonSchema {
  return { type: 'array', items, ...rules };
}

/** The extension keywords, as the document explains them. */
export const EXTENSIONS = {
  'x-well-formed': 'the text has no unpaired surrogate, so that it can be encoded in UTF-8',
  'x-max-bytes': 'the text has at most this many bytes in UTF-8',
  'x-max-encoded-length': 'percent-encoded for a path, the text has at most this many characters',
  'x-max-json-bytes': 'the value as JSON without white space has at most this many bytes',
  'x-max-entry-bytes': 'the names and values together have at most this many bytes',
  'x-max-changes':
    'the changes make at most this many log entries, two for a move, and change no key twice',
  'x-max-parts': '`size` divided by `part_size`, rounded up, is at most this',
  'x-future': 'the time is in the future',
  'x-tier': 'the name of a tier of this deployment: GET /admin/v1/config lists them',
} as const satisfies Record<`x-${string}`, string>;
