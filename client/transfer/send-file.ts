/** Sends parts of a file to S3 through a few buffers that are reused. */
import { linkedTo } from '../abort';
import { connectionLost, StowageError } from '../errors';
import { type FileHandle, localFiles, type Path } from './local-files';
import type { NodeRequests, Received, StartedRequest } from './node-requests';
import { etagOf, fileChanged, type SendPart, STALLED_MS } from './send-part';

/** While one of two buffers is sent, the other one is filled. */
const BUFFER_BYTES = 512 * 1024;
const BUFFERS = 2;

export interface OpenedFile {
  readonly send: SendPart;
  readonly close: () => Promise<void>;
}

/** The state of a file when its upload began. */
export interface FileState {
  /** Bytes. */
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/**
 * Opens a file to send. Its parts fail with StowageError `conflict` when the file has changed
 * since.
 */
export async function openToSend(requests: NodeRequests, path: Path): Promise<OpenedFile> {
  const handle = await (await localFiles()).open(path, 'r');
  const before = await handle.facts();
  const free: Uint8Array[][] = [];
  const send: SendPart = async (url, { from, to }, { onProgress, signal }) => {
    const stop = linkedTo(signal);
    const buffers = free.pop() ?? newBuffers();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isEnded = false;
    const moved = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), STALLED_MS);
    };
    const headers = { 'content-length': String(to - from) };
    const sending = requests.start('PUT', url, headers, stop.signal);
    try {
      moved();
      const content = { handle, before, buffers, from, to };
      const response = await sendContent(sending, content, (sent) => {
        // The last writes may end after the response, or after the abort.
        if (isEnded) return;
        moved();
        onProgress(sent);
      });
      const etag = etagOf(response, await response.text());
      // The buffers of a failed part are not reused: a write may still read them.
      free.push(buffers);
      return etag;
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof StowageError ? error : connectionLost(error);
    } finally {
      isEnded = true;
      clearTimeout(timer);
      sending.request.destroy();
      stop.detach();
    }
  };
  return { send, close: () => handle.close() };
}

interface Content {
  readonly handle: FileHandle;
  readonly before: FileState;
  readonly buffers: readonly Uint8Array[];
  readonly from: number;
  readonly to: number;
}

/** Returns the response, which comes early when S3 refuses the part. */
async function sendContent(
  { request, response }: StartedRequest,
  { handle, before, buffers, from, to }: Content,
  onProgress: (sent: number) => void,
): Promise<Received> {
  let isAnswered = false;
  const answered = response.finally(() => {
    isAnswered = true;
  });
  answered.catch(() => undefined);
  const writes: Promise<unknown>[] = [];
  for (let at = from, turn = 0; at < to && !isAnswered; turn = (turn + 1) % buffers.length) {
    await writes[turn];
    const buffer = buffers[turn]?.subarray(0, to - at) ?? new Uint8Array(0);
    const read = await handle.readInto(buffer, at);
    at += read;
    // Checked before the last byte is sent: without it S3 stores nothing.
    if (read === 0 || at === to) await requireUnchanged(handle, before, read);
    const written = new Promise<void>((resolve, reject) => {
      request.write(buffer.subarray(0, read), (error) => (error ? reject(error) : resolve()));
    }).then(() => onProgress(at - from));
    const settled = Promise.race([written, answered]);
    written.catch(() => undefined);
    settled.catch(() => undefined);
    writes[turn] = settled;
  }
  await Promise.all(writes);
  if (!isAnswered) request.end();
  return answered;
}

async function requireUnchanged(
  handle: FileHandle,
  before: FileState,
  read: number,
): Promise<void> {
  const { size, mtimeNs } = await handle.facts();
  if (read > 0 && size === before.size && mtimeNs === before.mtimeNs) return;
  throw fileChanged();
}

function newBuffers(): Uint8Array[] {
  return Array.from({ length: BUFFERS }, () => new Uint8Array(BUFFER_BYTES));
}
