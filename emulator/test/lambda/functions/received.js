// A function behind a gateway: what reaches it of a request.
const { createHash } = require('node:crypto');

/**
 * Of the event: its members in order, its size as JSON, and the digest of the bytes that its body
 * stands for.
 */
exports.handler = async (event) => {
  const { body, isBase64Encoded } = event;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  const canonical = !isBase64Encoded || bytes.toString('base64') === body;
  const digest = createHash('sha256').update(bytes).digest('hex');
  const size = Buffer.byteLength(JSON.stringify(event));
  const seen = { members: Object.keys(event), size, isBase64Encoded, canonical, digest };
  return { statusCode: 200, body: JSON.stringify(seen) };
};

/** Of the body alone. */
exports.digest = async ({ body }) => {
  const digest = createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex');
  return { statusCode: 200, body: digest };
};
