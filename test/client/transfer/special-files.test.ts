/** Uploads from, and downloads to, what is not a plain file of the disk. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { useTemporaryFolder } from '../../support/temporary-folder';
import { clientOfFakes } from '../client-of-fakes';

const folder = useTemporaryFolder('special-files');
let count = 0;
const newPath = () => path.join(folder, `special-${count++}`);

async function opened() {
  const { client } = clientOfFakes();
  await client.buckets.create('films');
  await client.put('films', 'film', 'from the bucket');
  const stored = async (key: string) => (await client.get('films', key)).text();
  return { client, stored };
}

function fifo(): string {
  const file = newPath();
  execFileSync('mkfifo', [file]);
  return file;
}

test('a download to a link replaces the file that the link names', async () => {
  const { client } = await opened();
  const [target, link] = [newPath(), newPath()];
  writeFileSync(target, 'before');
  symlinkSync(target, link);
  await client.download('films', 'film', { path: link });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('from the bucket');
});

test('a download to a FIFO is written through, once somebody reads', async () => {
  const { client } = await opened();
  const file = fifo();
  const downloaded = client.download('films', 'film', { path: file });
  const reader = spawn('cat', [file]);
  expect(await text(reader.stdout)).toBe('from the bucket');
  await downloaded;
  expect(statSync(file).isFIFO()).toBe(true);
});

test('a file in /dev/shm is one of the disk, and is replaced as a whole', async () => {
  const { client } = await opened();
  const file = `/dev/shm/stowage-${process.pid}`;
  writeFileSync(file, 'a content that is longer than the object');
  try {
    await client.download('films', 'film', { path: file });
    expect(readFileSync(file, 'utf8')).toBe('from the bucket');
  } finally {
    rmSync(file);
  }
});

/** A device that takes all bytes; a FIFO with a reader where only root may make devices. */
function device(): string {
  const file = newPath();
  if (spawnSync('mknod', [file, 'c', '1', '3']).status !== 0) {
    execFileSync('mkfifo', [file]);
    spawn('cat', [file], { stdio: 'ignore' });
  }
  return file;
}

test('a download to a device is written through', async () => {
  const { client } = await opened();
  const file = device();
  const { ino, mode } = statSync(file);
  await client.download('films', 'film', { path: file });
  expect(statSync(file)).toMatchObject({ ino, mode });
});

test('a download to a FIFO without a reader can be aborted', async () => {
  const { client } = await opened();
  const signal = AbortSignal.timeout(50);
  const downloading = client.download('films', 'film', { path: fifo() }, { signal });
  await expect(downloading).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a download to a folder, a socket or a link that leads nowhere says so', async () => {
  const { client } = await opened();
  const [inside, socket, link] = [newPath(), newPath(), newPath()];
  mkdirSync(inside);
  symlinkSync(newPath(), link);
  const server = net.createServer().listen(socket);
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    for (const [file, message] of [
      [inside, 'is a folder'],
      [socket, 'is a socket'],
      [link, 'leads nowhere'],
    ] as const) {
      await expect(client.download('films', 'film', { path: file })).rejects.toThrow(message);
      await expect(client.upload('films', 'none', { path: file })).rejects.toThrow();
    }
  } finally {
    server.close();
  }
});

test('a FIFO is uploaded to its end, whenever its writer comes', async () => {
  const { client, stored } = await opened();
  const file = fifo();
  const uploaded = client.upload('films', 'fifo', { path: file });
  spawn('sh', ['-c', `(echo one; sleep 0.1; echo two) > "${file}"`], { stdio: 'ignore' });
  await uploaded;
  expect(await stored('fifo')).toContain('two');
});

test('a FIFO without a writer can be aborted', async () => {
  const { client } = await opened();
  const uploading = client.upload(
    'films',
    'fifo',
    { path: fifo() },
    { signal: AbortSignal.timeout(50) },
  );
  await expect(uploading).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a file of /proc is uploaded with its content, although its size is 0', async () => {
  const { client, stored } = await opened();
  await client.upload('films', 'version', { path: '/proc/version' });
  expect(await stored('version')).toBe(readFileSync('/proc/version', 'utf8'));
});

test('an empty file is uploaded as an empty object', async () => {
  const { client, stored } = await opened();
  const file = newPath();
  writeFileSync(file, '');
  await client.upload('films', 'empty', { path: file });
  expect(await stored('empty')).toBe('');
});
