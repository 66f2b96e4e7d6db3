/**
 * AWS::CloudFront::Function: its own code, run for every request before anything else looks at it.
 */
import { createContext, Script } from 'node:vm';
import { isRecord } from '../../template/json';
import type { ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { Properties } from '../rest-api/model/properties';
import type { ViewerEvent } from './viewer-event';

/** What the function made of a request. */
export type Decision =
  | { readonly kind: 'request'; readonly uri: string; readonly originId?: string }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** Name, value, name, value … */
      readonly headers: readonly string[];
      readonly body: string;
    };

/** Throws FunctionFailure. */
export type ViewerRequest = (event: ViewerEvent) => Decision;

/** The function threw, or returned what CloudFront would not take: the client gets a 5xx. */
export class FunctionFailure extends Error {}

/** ARN -> function. */
export function readFunctions(stack: ResolvedStack): ReadonlyMap<string, ViewerRequest> {
  return new Map(
    resourcesOfType(stack, 'AWS::CloudFront::Function').map((resource) => [
      resource.physicalId,
      readFunction(new Properties(resource)),
    ]),
  );
}

/** "Quotas on CloudFront Functions" */
const CODE_BYTES = 10 * 1024;

function readFunction(resource: Properties): ViewerRequest {
  resource.only('AutoPublish', 'FunctionCode', 'FunctionConfig', 'Name');
  const config = resource.object('FunctionConfig')?.only('Comment', 'Runtime');
  if (config?.string('Runtime') !== 'cloudfront-js-2.0') {
    resource.refuse('must be cloudfront-js-2.0: others are not emulated', 'FunctionConfig.Runtime');
  }
  if (!resource.boolean('AutoPublish')) resource.refuse('must be true to go live', 'AutoPublish');
  const code = resource.string('FunctionCode');
  if (Buffer.byteLength(code) > CODE_BYTES) {
    resource.refuse(`is longer than ${CODE_BYTES} bytes`, 'FunctionCode');
  }
  try {
    return compile(code);
  } catch (error) {
    return resource.refuse(`cannot be run: ${String(error)}`, 'FunctionCode');
  }
}

const IMPORT = /^import (\w+) from 'cloudfront';$/m;

/**
 * Text goes in and out, so that nothing of this process can be reached from within, as little as in
 * CloudFront.
 */
const INVOKE = `
(text) => {
  originId = undefined;
  return JSON.stringify({ result: handler(JSON.parse(text)), originId });
}`;

/** Milliseconds for the top level of the code; CloudFront allows about one for all of it. */
const LOAD_TIMEOUT = 1000;

const LIBRARY = `{ selectRequestOriginById(id) { originId = String(id); } }`;

/** Throws what the code throws at its top level. */
export function compile(code: string): ViewerRequest {
  const context = createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false },
  });
  const run = (text: string): unknown =>
    new Script(text, { filename: 'viewer-request.js' }).runInContext(context, {
      timeout: LOAD_TIMEOUT,
    });
  run(`let originId; ${code.replace(IMPORT, (_, name) => `const ${name} = ${LIBRARY};`)}`);
  const invoke = run(INVOKE);
  if (run('typeof handler') !== 'function' || typeof invoke !== 'function') {
    throw new Error('there is no function handler');
  }
  return (event) => {
    let answer: unknown;
    try {
      answer = JSON.parse(String(invoke(JSON.stringify(event))));
    } catch (error) {
      throw new FunctionFailure(String(error), { cause: error });
    }
    if (!isRecord(answer) || !isRecord(answer.result)) {
      throw new FunctionFailure('the function returned neither a request nor a response');
    }
    const { result, originId } = answer;
    if (result.statusCode !== undefined) return readAnswer(result);
    return readRequest(event, result, typeof originId === 'string' ? originId : undefined);
  };
}

/** What else a function may change is refused here, rather than forgotten. */
function readRequest(
  event: ViewerEvent,
  { uri, ...rest }: Readonly<Record<string, unknown>>,
  originId: string | undefined,
): Decision {
  const { uri: _, ...sent } = event.request;
  if (JSON.stringify(rest) !== JSON.stringify(sent)) {
    throw new FunctionFailure('the function changed more than the URI, which is not emulated');
  }
  if (typeof uri !== 'string' || !uri.startsWith('/')) {
    throw new FunctionFailure(`the function returned the URI ${JSON.stringify(uri)}`);
  }
  return { kind: 'request', uri, ...(originId !== undefined && { originId }) };
}

function readAnswer(result: Readonly<Record<string, unknown>>): Decision {
  const { statusCode: status, headers, body } = result;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new FunctionFailure(`the function returned the status ${JSON.stringify(status)}`);
  }
  const fields = Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, field]) => {
    if (name !== name.toLowerCase() || !isRecord(field) || typeof field.value !== 'string') {
      throw new FunctionFailure(`the function returned the header ${name} in a wrong form`);
    }
    return [name, field.value];
  });
  const data = isRecord(body) && body.encoding === 'text' ? body.data : body;
  if (data !== undefined && typeof data !== 'string') {
    throw new FunctionFailure('the function returned a body that is no text');
  }
  return { kind: 'answer', status, headers: fields, body: data ?? '' };
}
