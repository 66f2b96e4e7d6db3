/** What of JSON Schema 2020-12 the document uses, and short ways to write it. */

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
  /** Rules that JSON Schema has no word for: EXTENSIONS says what each means. */
  readonly [extension: `x-${string}`]: unknown;
}

type Properties = Readonly<Record<string, JsonSchema>>;

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** What the service answers. Clients must not mind fields that come later, so it is open. */
export function answered(required: Properties, optional: Properties = {}): JsonSchema {
  const names = Object.keys(required);
  return {
    type: 'object',
    properties: { ...required, ...optional },
    ...(names.length > 0 && { required: names }),
  };
}

/** What a client sends: a field that is not named is refused. */
export function sent(required: Properties, optional: Properties = {}): JsonSchema {
  return { ...answered(required, optional), additionalProperties: false };
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

/** The keywords of ours, as the document explains them. */
export const EXTENSIONS = {
  'x-well-formed': 'the text has no half of a surrogate pair, so that it has a form in UTF-8',
  'x-max-bytes': 'the text has at most that many bytes in UTF-8',
  'x-max-encoded-length': 'percent-encoded for a path, the text has at most that many characters',
  'x-max-json-bytes': 'the value as JSON without white space has at most that many bytes',
  'x-max-parts': '`size` divided by `part_size`, rounded up, is at most that',
  'x-future': 'the time lies in the future',
  'x-tier': 'the name of a tier of this deployment: GET /admin/v1/config lists them',
} as const satisfies Record<`x-${string}`, string>;
