/** Runs the code of AWS::CloudFront::Function before every request. */
import { createContext, Script } from 'node:vm';
import type { ResolvedStack } from '../../template/model';
import { Properties } from '../../template/properties';
import { resourcesOfType } from '../../template/resources';
import { isRecord } from '../../values/json';
import type { ViewerEvent } from './viewer-event';

/** The result of the function. */
export type Decision =
  | {
      readonly kind: 'request';
      readonly uri: string;
      readonly originId?: string;
      /** Headers that the function added: name, value, name, value … */
      readonly added?: readonly string[];
    }
  | {
      readonly kind: 'response';
      readonly status: number;
      /** Name, value, name, value … */
      readonly headers: readonly string[];
      readonly body: string;
    };

/** Throws FunctionFailure when the function fails. */
export type ViewerRequest = (event: ViewerEvent) => Decision;

/** The function threw, or returned an invalid result: the client gets a 5xx. */
export class FunctionFailure extends Error {}

/** Returns the functions by ARN. */
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
  if (!resource.boolean('AutoPublish')) resource.refuse('must be true', 'AutoPublish');
  const code = resource.string('FunctionCode');
  if (Buffer.byteLength(code) > CODE_BYTES) {
    resource.refuse(`is longer than ${CODE_BYTES} bytes`, 'FunctionCode');
  }
  try {
    return compile(code);
  } catch (error) {
    return resource.refuse(`cannot be executed: ${String(error)}`, 'FunctionCode');
  }
}

const IMPORT = /^import (\w+) from 'cloudfront';$/m;

/** Exchanges text only, so that the code has no access to objects of this process. */
const INVOKE = `
(text) => {
  originId = undefined;
  return JSON.stringify({ result: handler(JSON.parse(text)), originId });
}`;

/** Milliseconds for the top level of the code. CloudFront allows about one for all code. */
const LOAD_TIMEOUT = 1000;

const LIBRARY = `{ selectRequestOriginById(id) { originId = String(id); } }`;

/** Throws the error that the code throws at its top level. */
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
    let returned: unknown;
    try {
      returned = JSON.parse(String(invoke(JSON.stringify(event))));
    } catch (error) {
      throw new FunctionFailure(String(error), { cause: error });
    }
    if (!isRecord(returned) || !isRecord(returned.result)) {
      throw new FunctionFailure('the function returned neither a request nor a response');
    }
    const { result, originId } = returned;
    if (result.statusCode !== undefined) return readResponse(result);
    return readRequest(event, result, typeof originId === 'string' ? originId : undefined);
  };
}

/** Refuses other changes, because ignoring them would differ from CloudFront. */
function readRequest(
  event: ViewerEvent,
  { uri, headers, ...rest }: Readonly<Record<string, unknown>>,
  originId: string | undefined,
): Decision {
  const { uri: _, headers: sentHeaders, ...sent } = event.request;
  const { kept, added } = splitHeaders(sentHeaders, headers);
  if (JSON.stringify([rest, kept]) !== JSON.stringify([sent, sentHeaders])) {
    throw new FunctionFailure(
      'the function changed more than the URI and its own headers, which is not emulated',
    );
  }
  if (typeof uri !== 'string' || !uri.startsWith('/')) {
    throw new FunctionFailure(`the function returned the URI ${JSON.stringify(uri)}`);
  }
  return {
    kind: 'request',
    uri,
    ...(originId !== undefined && { originId }),
    ...(added.length > 0 && { added }),
  };
}

/** "Restrictions on all edge functions": a function may add no header of these. */
const RESERVED =
  /^(?:connection|expect|host|keep-alive|te|trailer|upgrade|via|content-length|transfer-encoding|cdn-loop|x-amz-cf-.*|x-amzn-.*|x-edge-.*|x-accel-.*|x-cache|x-real-ip)$/;

function splitHeaders(sent: object, returned: unknown) {
  const kept: [name: string, field: unknown][] = [];
  const added: string[] = [];
  for (const [name, field] of Object.entries(isRecord(returned) ? returned : {})) {
    if (Object.hasOwn(sent, name)) kept.push([name, field]);
    else if (!isRecord(field) || typeof field.value !== 'string' || RESERVED.test(name)) {
      throw new FunctionFailure(`the function added the header ${name} in an invalid form`);
    } else added.push(name, field.value);
  }
  // fromEntries, because a header may have the name __proto__.
  return { kept: Object.fromEntries(kept), added };
}

function readResponse(result: Readonly<Record<string, unknown>>): Decision {
  const { statusCode: status, headers, body } = result;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw new FunctionFailure(`the function returned the status ${JSON.stringify(status)}`);
  }
  const fields = Object.entries(isRecord(headers) ? headers : {}).flatMap(([name, field]) => {
    if (name !== name.toLowerCase() || !isRecord(field) || typeof field.value !== 'string') {
      throw new FunctionFailure(`the function returned the header ${name} in an invalid form`);
    }
    return [name, field.value];
  });
  const data = isRecord(body) && body.encoding === 'text' ? body.data : body;
  if (data !== undefined && typeof data !== 'string') {
    throw new FunctionFailure('the function returned a body that is not text');
  }
  return { kind: 'response', status, headers: fields, body: data ?? '' };
}
