import { ftruncateSync, writeSync } from 'node:fs';

/**
 * Appends to a file of `size` bytes. Throws, with the file at its old size, when the disk does not
 * take all of it: half a line must not damage the next one.
 */
export function appendAll(descriptor: number, data: Buffer, size: number): void {
  try {
    for (let written = 0; written < data.length; ) {
      written += writeSync(descriptor, data, written);
    }
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
}
