/**
 * The OpenAPI document, made from the descriptions in this folder and from the limits and patterns
 * by which the service validates requests.
 */
import type { ErrorCode } from '../core/errors';
import { ERROR_RESPONSES, errorContent, errorResponseName } from './error-responses';
import { HEADERS, type HeaderName } from './headers';
import { EXTENSIONS, type JsonSchema, ref } from './json-schema';
import type { Content, Operation, PathDescription, Response } from './operation';
import { ADMINISTRATION_PATHS } from './operations/administration';
import { STORAGE_PATHS } from './operations/storage';
import { PARAMETERS } from './parameters';
import { ADMINISTRATION } from './schemas/administration';
import { ERROR } from './schemas/error';
import { NAMES } from './schemas/names';
import { STORAGE } from './schemas/storage';

export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ...NAMES,
  ...STORAGE,
  ...ADMINISTRATION,
  Error: ERROR,
};

const DESCRIPTION = `Object storage whose buckets have a change log, from which clients read every change in order.

An unknown path gets 404. A method that a path does not list gets 405 with \`Allow\` and the code \`method_not_allowed\`, so no operation lists 405. Unknown query parameters are ignored, unknown fields of a JSON body
get 400. HEAD returns what GET does, without the body. Clients must ignore unknown fields of responses: later versions may add some.

These extensions express rules that JSON Schema cannot:

${Object.entries(EXTENSIONS)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')}`;

const TAGS = {
  Buckets: 'Containers of objects, each with its own change log.',
  Objects: 'Bytes under a key, with metadata and versions.',
  'Signed URLs': 'Downloads without an API key, large uploads, tickets.',
  'Temporary keys': 'A part of what an API key may, for a while.',
  Links: 'URLs for everybody who gets them, until they are revoked.',
  Changes: 'The changes of a bucket, in order and without gaps.',
  Sessions: 'How the dashboard signs in.',
  'API keys': 'Administrators create, change, rotate and revoke them.',
  Audit: 'Who changed which API key, and how.',
  Usage: 'Requests per API key.',
};

/** Error responses of every operation. */
const COMMON: readonly string[] = [
  ...(['rate_limited', 'internal', 'unavailable'] as const).map(errorResponseName),
  'BadGateway',
  'UriTooLong',
];

/** Error codes of every operation that needs authentication. */
const AUTHENTICATED: readonly ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden'];

export function createDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'stowage',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'The origin that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries([
      ...Object.values(STORAGE_PATHS).map((path) => pathItem(path, 'ApiKey')),
      ...Object.values(ADMINISTRATION_PATHS).map((path) => pathItem(path, 'Administrator')),
    ]),
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'osk_<id>_<secret>_<crc>',
          description: 'An API key.',
        },
        Administrator: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token of an administrator who has signed in.',
        },
      },
      parameters: PARAMETERS,
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([id, { name: _, ...header }]) => [id, header]),
      ),
      responses: { ...errorResponses(true), ...errorResponses(false) },
      schemas: SCHEMAS,
    },
  };
}

type Scheme = 'ApiKey' | 'Administrator';

function pathItem(description: PathDescription<string>, scheme: Scheme): [string, object] {
  const { path, tag, parameters, operations } = description;
  const { GET } = operations;
  const all: [string, Operation | undefined, boolean][] = [
    ...Object.entries(operations).map(
      ([method, operation]): [string, Operation | undefined, boolean] => [
        method.toLowerCase(),
        operation,
        true,
      ],
    ),
    ['head', GET, false],
  ];
  return [
    path,
    {
      ...(parameters.length > 0 && { parameters: parameters.map(parameterRef) }),
      ...Object.fromEntries(
        all.flatMap(([method, operation, hasBody]) =>
          operation ? [[method, operationObject(operation, { tag, scheme, hasBody })]] : [],
        ),
      ),
    },
  ];
}

function operationObject(
  operation: Operation,
  { tag, scheme, hasBody }: { tag: string; scheme: Scheme; hasBody: boolean },
) {
  const { id, summary, description, parameters = [], body, isPublic } = operation;
  const isStorage = scheme === 'ApiKey';
  return {
    operationId: hasBody ? id : `${id}Head`,
    summary: hasBody ? summary : `${summary}: the headers only`,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(parameters.length > 0 && { parameters: parameters.map(parameterRef) }),
    ...(body && {
      requestBody: { required: body.required, content: contentObject(body.content) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses)
          .filter(([status]) => hasBody || !['206', '307'].includes(status))
          .map(([status, response]) => [status, responseObject(response, { hasBody, isStorage })]),
      ),
      ...errorRefs(operation, hasBody),
    },
    security: isPublic ? [] : [{ [scheme]: [] }],
  };
}

function parameterRef(name: string) {
  return { $ref: `#/components/parameters/${name}` };
}

function responseObject(
  response: Response,
  { hasBody, isStorage }: { hasBody: boolean; isStorage: boolean },
) {
  const { description, content, headers = [] } = response;
  return {
    description,
    headers: headersObject([...headers, ...(isStorage ? RATE : [])]),
    ...(hasBody && content && { content: contentObject(content) }),
  };
}

const RATE = ['RateLimit', 'RateLimitPolicy'] as const;

function headersObject(headers: readonly HeaderName[]) {
  return Object.fromEntries(
    headers.map((id) => [HEADERS[id].name, { $ref: `#/components/headers/${id}` }]),
  );
}

function contentObject(content: Content) {
  if ('json' in content) {
    const { json, example } = content;
    return {
      'application/json': { schema: ref(json), ...(example !== undefined && { example }) },
    };
  }
  const { bytes, orJson } = content;
  return {
    ...(orJson !== undefined && {
      'application/json': { schema: { anyOf: [...orJson.map(ref), { description: bytes }] } },
    }),
    '*/*': { schema: { description: bytes } },
  };
}

function errorRefs({ errors = [], isPublic }: Operation, hasBody: boolean) {
  const names = [
    ...COMMON,
    ...[...(isPublic ? [] : AUTHENTICATED), ...errors]
      .filter((code) => hasBody || code !== 'range_not_satisfiable')
      .map(errorResponseName),
  ];
  return Object.fromEntries(
    names.map((name) => [
      ERROR_RESPONSES[name]?.status,
      { $ref: `#/components/responses/${hasBody ? '' : 'Head'}${name}` },
    ]),
  );
}

/** The error responses of GET and other methods, or those of HEAD: without body. */
function errorResponses(hasBody: boolean) {
  const ofHead = ['conflict', 'payload_too_large', 'range_not_satisfiable'];
  return Object.fromEntries(
    Object.entries(ERROR_RESPONSES)
      .filter(([, { code }]) => hasBody || !ofHead.includes(code ?? ''))
      .map(([name, error]) => [
        `${hasBody ? '' : 'Head'}${name}`,
        {
          description: error.description,
          headers: headersObject([...error.headers, 'NotKept', ...RATE]),
          ...(hasBody && { content: errorContent(error) }),
        },
      ]),
  );
}
