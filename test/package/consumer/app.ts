// A project that imports the package: CommonJS as app.ts, an ES module as app.mts.
// test/package/package.test.ts runs both.
import { App, Duration, Stack } from 'aws-cdk-lib';
import { type EdgeOptions, ObjectStorage, type ObjectStorageProps, type Tables } from 'stowage';
import { type Change, StowageClient, StowageError } from 'stowage/client';

const edge: EdgeOptions = { requestsPerFiveMinutes: undefined };
const props: ObjectStorageProps = { retention: Duration.days(2), edge };
// @ts-expect-error a prop that does not exist
export const misspelt: ObjectStorageProps = { retentions: Duration.days(2) };

const app = new App({ outdir: process.argv[2], analyticsReporting: false });
const storage = new ObjectStorage(new Stack(app, 'larger'), 'Storage', props);
export const tables: Tables = storage.tables;
app.synth();

export async function firstChange(baseUrl: string): Promise<Change> {
  const client = new StowageClient({ baseUrl, apiKey: 'none' });
  for await (const change of client.sync({ photos: { cursor: 0 } })) return change;
  throw new StowageError('network', 'no change came');
}
