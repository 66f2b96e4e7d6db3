/** Reads the service's OpenAPI 3.1 document, which is checked like any input. */
import { isRecord } from '../../../client/resources';

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** HEAD works too. */
  readonly hasHead: boolean;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body?: RequestBody;
  /** The credential that a request needs. */
  readonly needs: 'key' | 'token' | 'nothing';
  readonly responses: readonly Response[];
}

export interface RequestBody {
  readonly types: readonly string[];
  readonly schema: unknown;
  readonly example?: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly example?: string;
}

export interface Response {
  readonly status: string;
  readonly description: string;
  readonly schema?: unknown;
}

export interface Reference {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

type Fields = Readonly<Record<string, unknown>>;

/** HEAD is shown with GET. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'];
const OTHER = 'Other';

/** Throws an Error when `document` is not an OpenAPI document. */
export function readReference(document: unknown): Reference {
  const root = fields(document);
  if (typeof root.openapi !== 'string') throw new Error('The document is not an OpenAPI document.');
  const info = fields(root.info);
  const operations = Object.entries(fields(root.paths)).flatMap(([path, item]) => {
    return METHODS.filter((method) => method in fields(item)).map((method) =>
      operationOf({
        root,
        path,
        method,
        operation: fields(fields(item)[method]),
        item: fields(item),
      }),
    );
  });
  return {
    title: text(info.title),
    version: text(info.version),
    description: withoutExtensions(text(info.description)),
    operations,
  };
}

/** Returns the description without the paragraphs about extensions, which are for programs. */
function withoutExtensions(description: string): string {
  const [plain = ''] = description.split(/\n\n(?=[^\n]*extensions)/);
  return plain;
}

/** Returns the tags in the order of the document, each with its operations. */
export function byTag(operations: readonly Operation[]): readonly [string, readonly Operation[]][] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((tag) => [tag, operations.filter((operation) => operation.tag === tag)]);
}

interface OperationSource {
  /** The document, in which references are resolved. */
  readonly root: Fields;
  readonly path: string;
  readonly method: string;
  readonly operation: Fields;
  /** All operations of the path, and the parameters that they share. */
  readonly item: Fields;
}

function operationOf({ root, path, method, operation, item }: OperationSource): Operation {
  const body = fields(resolve(root, operation.requestBody));
  const content = fields(body.content);
  const [type] = Object.keys(content);
  return {
    id: `${method} ${path}`,
    method: method.toUpperCase(),
    hasHead: method === 'get' && 'head' in item,
    path,
    summary: text(operation.summary),
    description: text(operation.description),
    tag: text(list(operation.tags)[0]) || OTHER,
    parameters: [...list(item.parameters), ...list(operation.parameters)].map((parameter) =>
      parameterOf(root, fields(resolve(root, parameter))),
    ),
    ...(type !== undefined && {
      body: {
        types: Object.keys(content),
        schema: expanded(root, fields(content[type]).schema),
        example: fields(content[type]).example,
      },
    }),
    needs: needsOf(operation),
    responses: Object.entries(fields(operation.responses)).map(([status, response]) =>
      responseOf(root, status, fields(resolve(root, response))),
    ),
  };
}

function needsOf({ security }: Fields): Operation['needs'] {
  const [first] = list(security);
  if (first === undefined) return 'nothing';
  return 'ApiKey' in fields(first) ? 'key' : 'token';
}

function parameterOf(root: Fields, parameter: Fields): Parameter {
  return {
    name: text(parameter.name),
    place: text(parameter.in),
    isRequired: parameter.required === true,
    description: text(parameter.description),
    schema: expanded(root, parameter.schema),
    ...(parameter.example !== undefined && { example: String(parameter.example) }),
  };
}

function responseOf(root: Fields, status: string, response: Fields): Response {
  const [media] = Object.values(fields(response.content));
  const schema = expanded(root, fields(media).schema);
  return {
    status,
    description: text(response.description),
    ...(schema !== undefined && { schema }),
  };
}

/** Depth at which schemas are cut: deep enough for all but recursive ones. */
const MOST_DEPTH = 8;

/** Returns the schema with its references resolved. */
export function expanded(root: Fields, schema: unknown, depth = 0): unknown {
  if (Array.isArray(schema)) return schema.map((item) => expanded(root, item, depth));
  if (typeof schema !== 'object' || schema === null) return schema;
  if (depth > MOST_DEPTH) return {};
  const { $ref, ...rest } = schema as Fields;
  const target = typeof $ref === 'string' ? fields(resolve(root, { $ref })) : {};
  return Object.fromEntries(
    Object.entries({ ...target, ...rest })
      // Extensions are for programs that check the document.
      .filter(([name]) => !name.startsWith('x-'))
      .map(([name, value]) => [name, expanded(root, value, depth + 1)]),
  );
}

/** Returns the target of a reference such as `{"$ref": "#/components/…"}`. */
function resolve(root: Fields, value: unknown): unknown {
  const reference = fields(value).$ref;
  if (typeof reference !== 'string') return value;
  const names = reference.replace(/^#\//, '').split('/');
  return names
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => fields(at)[name], root);
}

function fields(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
