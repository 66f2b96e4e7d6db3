/**
 * The OpenAPI document, made of the descriptions here and of the rules by which the service judges
 * requests.
 */
import type { ErrorCode } from '../core/errors';
import { HEADERS, type HeaderName } from './headers';
import { EXTENSIONS, type JsonSchema, ref } from './json-schema';
import type { Answer, Content, Operation, PathDescription } from './operation';
import { ADMINISTRATION_PATHS } from './operations/administration';
import { STORAGE_PATHS } from './operations/storage';
import { PARAMETERS } from './parameters';
import { REFUSALS, refusalContent, refusalName } from './refusals';
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

const DESCRIPTION = `Object storage with a sequence of changes that proves that nothing was missed.

Any other path is 404, another method of a path is 405 with \`Allow\`. Query parameters that are not named are ignored, fields of a JSON
body that are not named are 400. HEAD answers what GET does, without a body. Clients must not mind fields of answers that come later.

Some rules have no word in JSON Schema; these extensions say them:

${Object.entries(EXTENSIONS)
  .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  .join('\n')}`;

const TAGS = {
  Buckets: 'Containers of objects, each with its own sequence of changes.',
  Objects: 'Bytes under a key, with metadata and versions.',
  'Signed URLs': 'Downloads without a key, large uploads, tickets.',
  Changes: 'What happened in a bucket, in order and without a gap.',
  Sessions: 'How a page signs in.',
  'API keys': 'Made, changed, rotated and revoked by whoever may administer.',
  Audit: 'Who did what to which key.',
  Usage: 'How often a key is used.',
};

/** Every operation of the interface may answer these. */
const COMMON: readonly string[] = [
  ...(['rate_limited', 'internal', 'unavailable'] as const).map(refusalName),
  'BadGateway',
  'UriTooLong',
];

/** And these where it must know who asks. */
const JUDGED: readonly ErrorCode[] = ['invalid_request', 'unauthorized', 'forbidden'];

export function createDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'stowage',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'Where this document is served.' }],
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
          description: 'The access token of somebody who has signed in and may administer.',
        },
      },
      parameters: PARAMETERS,
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([id, { name: _, ...header }]) => [id, header]),
      ),
      responses: { ...refusalResponses(true), ...refusalResponses(false) },
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
        Object.entries(operation.answers)
          .filter(([status]) => hasBody || !['206', '307'].includes(status))
          .map(([status, answer]) => [status, responseObject(answer, { hasBody, isStorage })]),
      ),
      ...refusalRefs(operation, hasBody),
    },
    security: isPublic ? [] : [{ [scheme]: [] }],
  };
}

function parameterRef(name: string) {
  return { $ref: `#/components/parameters/${name}` };
}

function responseObject(
  answer: Answer,
  { hasBody, isStorage }: { hasBody: boolean; isStorage: boolean },
) {
  const { description, content, headers = [] } = answer;
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
      'application/json': { schema: { anyOf: [ref(orJson), { description: bytes }] } },
    }),
    '*/*': { schema: { description: bytes } },
  };
}

function refusalRefs({ refusals = [], isPublic }: Operation, hasBody: boolean) {
  const names = [
    ...COMMON,
    ...[...(isPublic ? [] : JUDGED), ...refusals]
      .filter((code) => hasBody || code !== 'range_not_satisfiable')
      .map(refusalName),
  ];
  return Object.fromEntries(
    names.map((name) => [
      REFUSALS[name]?.status,
      { $ref: `#/components/responses/${hasBody ? '' : 'Head'}${name}` },
    ]),
  );
}

/** HEAD says the status, and nothing else. */
function refusalResponses(hasBody: boolean) {
  const ofHead = ['conflict', 'payload_too_large', 'range_not_satisfiable'];
  return Object.fromEntries(
    Object.entries(REFUSALS)
      .filter(([, { code }]) => hasBody || !ofHead.includes(code ?? ''))
      .map(([name, refusal]) => [
        `${hasBody ? '' : 'Head'}${name}`,
        {
          description: refusal.description,
          headers: headersObject([...refusal.headers, 'NotKept', ...RATE]),
          ...(hasBody && { content: refusalContent(refusal) }),
        },
      ]),
  );
}
