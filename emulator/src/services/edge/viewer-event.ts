/**
 * Builds the event of a CloudFront function. Sources: "CloudFront Functions event structure" and
 * "Restrictions on all edge functions".
 */
import { type Fields, readFields } from '../rest-api/request/headers';

interface Value {
  readonly value: string;
  /** All values, when there are several. */
  readonly multiValue?: readonly { readonly value: string }[];
}

type Values = Readonly<Record<string, Value>>;

export interface ViewerEvent {
  readonly version: '1.0';
  readonly context: {
    readonly distributionDomainName: string;
    readonly distributionId: string;
    readonly eventType: 'viewer-request';
    readonly requestId: string;
  };
  readonly viewer: { readonly ip: string };
  readonly request: {
    readonly method: string;
    /** The path as it was sent. */
    readonly uri: string;
    readonly querystring: Values;
    readonly headers: Values;
    readonly cookies: Values;
  };
}

export interface Viewed {
  readonly method: string;
  readonly uri: string;
  /** Without `?`; undefined when the URL has no query. */
  readonly query: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly ip: string;
}

export function viewerEvent(
  viewed: Viewed,
  context: Omit<ViewerEvent['context'], 'eventType'>,
): ViewerEvent {
  const fields = readFields(viewed.rawHeaders);
  return {
    version: '1.0',
    context: { ...context, eventType: 'viewer-request' },
    viewer: { ip: viewed.ip },
    request: {
      method: viewed.method,
      uri: viewed.uri,
      querystring: valuesOf(pairs(viewed.query ?? '', '&')),
      headers: valuesOf(
        [...fields].flatMap(([name, { values }]) =>
          isShown(name) ? values.map((value) => [name, value] as const) : [],
        ),
      ),
      cookies: valuesOf(pairs(cookieOf(fields), /; */)),
    },
  };
}

const HIDDEN = new Set([
  'connection',
  'cookie',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'trailer',
  'upgrade',
  'x-cache',
  'x-forwarded-proto',
  'x-real-ip',
]);

function isShown(name: string): boolean {
  return !HIDDEN.has(name) && !/^x-(?:accel-|amz-cf-|amzn-|edge-)/.test(name);
}

function cookieOf(fields: Fields): string {
  return fields.get('cookie')?.values.join('; ') ?? '';
}

function pairs(text: string, separator: string | RegExp): readonly (readonly [string, string])[] {
  return text
    .split(separator)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

function valuesOf(entries: readonly (readonly [string, string])[]): Values {
  const lists = new Map<string, string[]>();
  for (const [name, value] of entries) {
    const list = lists.get(name);
    if (list === undefined) lists.set(name, [value]);
    else list.push(value);
  }
  return Object.fromEntries(
    [...lists].map(([name, list]) => {
      const [value = ''] = list;
      const multiValue = list.map((each) => ({ value: each }));
      return [name, list.length > 1 ? { value, multiValue } : { value }];
    }),
  );
}
