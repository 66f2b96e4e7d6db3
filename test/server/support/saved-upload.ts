/** An upload in a process of its own, which a test kills: `saved-upload.ts SETTINGS`. */
import { fileResume, StowageClient } from '../../../client';

const { baseUrl, apiKey, key, file, notes, partSize } = JSON.parse(process.argv[2] ?? '');
const client = new StowageClient({ baseUrl, apiKey });
const options = { resume: fileResume(notes), partSize, concurrency: 1 };
void client.upload('films', key, { path: file }, options);
