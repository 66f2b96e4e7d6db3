/** One transfer by the client: `node client-program.js TRANSFER`. */
import { StowageClient } from '../../client';
import { BUCKET } from './programs';

const { kind, path, key } = JSON.parse(process.argv[2] ?? '{}');
const { STOWAGE_URL: baseUrl = '', STOWAGE_KEY: apiKey } = process.env;
const client = new StowageClient({ baseUrl, apiKey });
const work =
  kind === 'upload' ? client.upload(BUCKET, key, { path }) : client.download(BUCKET, key, { path });
work.catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
