/**
 * The capabilities that a target may lack. `CAPABILITIES=no-streaming,no-edge` leaves out the
 * behaviours that need one of these, `CAPABILITIES=core` all that need any capability. A behaviour
 * that is left out is not registered with jest; run.ts lists it.
 */
export const CAPABILITIES = {
  streaming:
    'responses above 4 MiB are sent inline, up to 6 MB; needs API Gateway response streaming',
  'gateway-responses':
    "the gateway's own refusals carry our error shape; emulators may ignore them",
  edge: 'security headers on every response, large bodies refused with the documented error before API Gateway; needs the edge',
  'https-only': 'a header makes browsers use HTTPS only; needs TLS',
  pages: 'pages of http://localhost:3000 may use the interface: allowedOrigins, and the edge',
  'raw-paths':
    'the request path arrives byte for byte: dot segments, empty segments, broken escapes',
  'raw-query': 'API Gateway reads the query: ; separates, raw | { } are refused',
  concurrency: 'several requests are served at the same time',
  's3-signatures': 'S3 checks presigned requests: expiry, signed headers, path, checksum',
  's3-conditions': 'S3 honours If-None-Match: *, so that a presigned PUT serves once',
  's3-events': 'S3 reports uploads to the service',
  multipart: 'S3 multipart uploads through presigned URLs',
  'change-stream': "the bucket's counters follow the change stream",
  channel: 'a WebSocket on SYNC_URL, or on the path of /sync, is served by the WebSocket API',
  'channel-gateway':
    'a refused handshake returns its own status, and what API Gateway forbids on a channel closes it',
  'channel-address': "a ticket's URL leads to the target: its name resolves",
  'restricted-keys': 'MAKE_KEY makes keys of chosen permissions',
  'key-revocation': 'REVOKE_KEY revokes a key; off where the variable is not set',
  'rate-tiers': 'MAKE_KEY takes --tier small: 5 writes at once, then one a second',
} as const;

export type Capability = keyof typeof CAPABILITIES;

function isCapability(name: string): name is Capability {
  return Object.hasOwn(CAPABILITIES, name);
}

/** Returns the capabilities that are switched off. Throws when a name is unknown. */
export function switchedOff(
  setting = process.env.CAPABILITIES ?? '',
  isRevoking = Boolean(process.env.REVOKE_KEY),
): ReadonlySet<Capability> {
  const words = setting.split(',').filter((word) => word !== '');
  if (!isRevoking) words.push('no-key-revocation');
  return new Set(
    words.flatMap((word) => {
      if (word === 'core') return Object.keys(CAPABILITIES).filter(isCapability);
      const name = word.replace(/^no-/, '');
      if (!word.startsWith('no-') || !isCapability(name)) {
        const known = Object.keys(CAPABILITIES).map((each) => `no-${each}`);
        throw new Error(`unknown capability switch "${word}"; known: core, ${known.join(', ')}`);
      }
      return [name];
    }),
  );
}
