import type { EdgeOptions } from '../lib';

type Settings = Readonly<Record<string, unknown>>;

const KNOWN = ['domainName', 'certificateArn', 'requestsPerFiveMinutes', 'webAclArn'];

/** The setting `edge` of an environment. Throws an Error that names what is wrong with it. */
export function parseEdge(settings: Settings | false | undefined): EdgeOptions | false | undefined {
  if (!settings) return settings;
  const unknown = Object.keys(settings).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new Error(`edge has no setting ${unknown}: known are ${KNOWN.join(', ')}`);
  }
  return {
    domainName: text(settings, 'domainName'),
    certificateArn: text(settings, 'certificateArn'),
    requestsPerFiveMinutes: number(settings, 'requestsPerFiveMinutes'),
    webAclArn: text(settings, 'webAclArn'),
  };
}

function text(settings: Settings, name: string): string | undefined {
  const value = settings[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new Error(`edge.${name} must be a text, got ${JSON.stringify(value)}`);
}

function number(settings: Settings, name: string): number | undefined {
  const value = settings[name];
  if (value === undefined || typeof value === 'number') return value;
  throw new Error(`edge.${name} must be a number, got ${JSON.stringify(value)}`);
}
