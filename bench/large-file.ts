/**
 * Samples the memory of the service while one large file is uploaded by a signed multipart URL and
 * downloaded by GET and its redirect.
 */
import type { HttpClient } from './http-client';
import { type MemorySample, sampleMemory, watchMemory } from './memory';
import type { Remote } from './remote';

export interface LargeFileFigures {
  readonly bytes: number;
  readonly before: MemorySample;
  readonly upload: Transfer;
  readonly download: Transfer;
  readonly after: MemorySample;
}

export interface Transfer {
  readonly seconds: number;
  readonly samples: readonly MemorySample[];
}

/** Milliseconds between two samples. */
const INTERVAL = 100;

/** Throws when the downloaded bytes differ from the uploaded ones. */
export async function transferLargeFile(
  http: Remote<HttpClient>,
  pid: number,
  bytes: number,
): Promise<LargeFileFigures> {
  const before = sampleMemory(pid);
  const key = 'large';
  const upload = await watched(pid, () => http.call('uploadLarge', { key, size: bytes }));
  const download = await watched(pid, () => http.call('downloadLarge', { key }));
  if (upload.value !== download.value) throw new Error('the large file has changed on its way');
  const after = sampleMemory(pid);
  return { bytes, before, upload: upload.transfer, download: download.transfer, after };
}

async function watched<T>(
  pid: number,
  run: () => Promise<T>,
): Promise<{ value: T; transfer: Transfer }> {
  const started = performance.now();
  const stop = watchMemory(pid, INTERVAL);
  try {
    const value = await run();
    const seconds = (performance.now() - started) / 1000;
    return { value, transfer: { seconds, samples: stop() } };
  } finally {
    stop();
  }
}
