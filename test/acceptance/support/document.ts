/**
 * Validates every response of the service against its OpenAPI document: the status, the body and
 * the headers are described, and nothing undescribed is present. Which response a request must get
 * is checked by the behaviours and not here.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import type { HttpResponse } from './exchange';

type Node = Readonly<Record<string, unknown>>;

interface Operation {
  readonly id: string;
  readonly responses: Readonly<Record<string, Node>>;
}

const FILE = process.env.OPENAPI || path.join(__dirname, '../../../dashboard/public/openapi.json');

const document: Node = JSON.parse(readFileSync(FILE, 'utf8'));

/** Refuses additional properties: clients must ignore them, but here they are undescribed. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Node = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, closed(value)]),
  );
  const isOpen = copy.type === 'object' && copy.properties && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/);
ajv.addFormat('uri', (text) => URL.canParse(text));
ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'http://localhost'));
ajv.addSchema({ $id: 'document', components: closed(document.components) });

const compiled = new Map<unknown, ValidateFunction>();

function judge(schema: unknown, value: unknown, what: string): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(absolute(schema));
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${what}${error.instancePath} ${error.message}`);
}

function absolute(schema: unknown): Node {
  const text = JSON.stringify(closed(schema));
  return JSON.parse(text.replaceAll('"#/components/', '"document#/components/'));
}

function resolved(node: unknown): Node {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node as Node;
  const steps = $ref.replace('#/', '').split('/');
  return steps.reduce((at: Node, step) => at[step] as Node, document);
}

/** A key is the rest of the path, because its slashes need not be encoded. */
function patternOf(template: string): RegExp {
  const parts = template.split(/(\{\w+\})/).map((part) => {
    if (part === '{key}') return '.*';
    return part.startsWith('{') ? '[^/]*' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

const paths = Object.entries(document.paths as Node).map(([template, item]) => ({
  pattern: patternOf(template),
  item: item as Readonly<
    Record<string, { operationId: string; responses: Operation['responses'] }>
  >,
}));

function operationOf(method: string, pathname: string): Operation | 'no path' | 'no method' {
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  if (!found) return 'no path';
  const operation = found.item[method.toLowerCase()];
  return operation ? { id: operation.operationId, responses: operation.responses } : 'no method';
}

/**
 * Headers of HTTP itself, of the gateway and of the edge (specs/edge.test.ts), and metadata, whose
 * names the client chooses.
 */
const UNDESCRIBED =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|via|server|vary|strict-transport-security|referrer-policy|x-(content-type|frame)-options|x-amz.*|x-cache|access-control-.*|x-object-meta-.*)$/;

function judgeHeaders(response: Node, answer: HttpResponse): string[] {
  const described = Object.entries((response.headers ?? {}) as Node).map(([name, header]) => ({
    name: name.toLowerCase(),
    header: resolved(header),
  }));
  const wrong = described.flatMap(({ name, header }) => {
    const value = answer.headers[name];
    if (value === undefined) return header.required === true ? [`no header ${name}`] : [];
    const { type } = resolved(header.schema);
    return judge(header.schema, type === 'integer' ? Number(value) : value, `header ${name}`);
  });
  const names = new Set(described.map(({ name }) => name));
  const strange = Object.keys(answer.headers).filter(
    (name) => !names.has(name) && !UNDESCRIBED.test(name),
  );
  return [...wrong, ...strange.map((name) => `header ${name} is not described`)];
}

function judgeBody(response: Node, answer: HttpResponse, isDescriptor: boolean): string[] {
  const content = response.content as Readonly<Record<string, { schema: unknown }>> | undefined;
  if (!content) return answer.body.length === 0 ? [] : ['a body where none is described'];
  const [type = ''] = (answer.headers['content-type'] ?? '').split(/\s*;/);
  const described = content[type.toLowerCase()] ?? content['*/*'];
  if (!described) return [`Content-Type ${type} is not described`];
  if (isDescriptor) return judgeJson({ $ref: '#/components/schemas/ObjectDescriptor' }, answer);
  return type === 'application/json' && !content['*/*'] ? judgeJson(described.schema, answer) : [];
}

function judgeJson(schema: unknown, answer: HttpResponse): string[] {
  try {
    return judge(schema, JSON.parse(answer.body.toString('utf8')), 'body');
  } catch (error) {
    return [`body: ${error}`];
  }
}

/** Statuses of refusals that precede routing. */
const AHEAD = [400, 401, 403, 413, 414, 417, 429, 500, 502, 503];

function judgeRefusal(answer: HttpResponse, method: string, status: number): string[] {
  const { status: actual } = answer;
  if (actual !== status && !AHEAD.includes(actual)) return [`${actual} instead of ${status}`];
  const isOurs = /^application\/json\b/.test(answer.headers['content-type'] ?? '');
  if (method === 'HEAD' || !isOurs) return [];
  return judgeJson({ $ref: '#/components/schemas/Error' }, answer);
}

const seen = new Map<string, number>();

/** Returns how the response differs from the document; empty when it conforms. */
export function disagreements(
  method: string,
  target: string,
  answer: HttpResponse,
): readonly string[] {
  const [pathname = '', query = ''] = target.split('?', 2);
  const operation = operationOf(method, pathname);
  const id = typeof operation === 'string' ? operation : `${operation.id} ${answer.status}`;
  seen.set(id, (seen.get(id) ?? 0) + 1);
  if (operation === 'no path') return judgeRefusal(answer, method, 404);
  if (operation === 'no method') return judgeRefusal(answer, method, 405);
  const described = operation.responses[String(answer.status)];
  if (!described) return [`status ${answer.status} of ${operation.id} is not described`];
  const response = resolved(described);
  const isDescriptor =
    answer.status === 200 && query.includes('view=descriptor') && method === 'GET';
  return [...judgeHeaders(response, answer), ...judgeBody(response, answer, isDescriptor)];
}

/** Every response that the document describes, as operation and status. */
export function describedResponses(): readonly string[] {
  return paths.flatMap(({ item }) =>
    Object.values(item).flatMap(({ operationId, responses }) =>
      operationId === undefined
        ? []
        : Object.keys(responses).map((code) => `${operationId} ${code}`),
    ),
  );
}

/** Appends what this process has seen to a file of lines `<count> <operation> <status>`. */
export function writeTally(file: string): void {
  const lines = [...seen].map(([id, count]) => `${count} ${id}\n`);
  seen.clear();
  appendFileSync(file, lines.join(''));
}
