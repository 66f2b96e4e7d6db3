/**
 * The memory of the service while one large file passes: up by a signed multipart URL, down by GET
 * and its 307.
 */
import type { HttpClient } from './http-client';
import { type MemorySample, sampleMemory, watchMemory } from './memory';
import type { Remote } from './remote';

export interface Passage {
  readonly bytes: number;
  readonly before: MemorySample;
  readonly up: Way;
  readonly down: Way;
  readonly after: MemorySample;
}

export interface Way {
  readonly seconds: number;
  readonly samples: readonly MemorySample[];
}

/** Milliseconds between two samples. */
const INTERVAL = 100;

/** Throws when the bytes that come back are not those that were sent. */
export async function passLargeFile(
  http: Remote<HttpClient>,
  pid: number,
  bytes: number,
): Promise<Passage> {
  const before = sampleMemory(pid);
  const key = 'large';
  const sent = await watched(pid, () => http.call('uploadLarge', { key, size: bytes }));
  const received = await watched(pid, () => http.call('downloadLarge', { key }));
  if (sent.value !== received.value) throw new Error('the large file came back changed');
  return { bytes, before, up: sent.way, down: received.way, after: sampleMemory(pid) };
}

async function watched<T>(pid: number, run: () => Promise<T>): Promise<{ value: T; way: Way }> {
  const started = performance.now();
  const stop = watchMemory(pid, INTERVAL);
  try {
    const value = await run();
    return { value, way: { seconds: (performance.now() - started) / 1000, samples: stop() } };
  } finally {
    stop();
  }
}
