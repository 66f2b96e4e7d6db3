/** How large a zip may become where the browser cannot write a file as it arrives. */
import { sizeText } from '../parts/format';

/** Bytes of its objects. */
const MOST = 1024 ** 3;

/**
 * Returns the objects. Throws when they are more than a browser should hold: before any of them is
 * downloaded.
 */
export async function heldInMemory<Sized extends { readonly size: number }>(
  objects: AsyncIterable<Sized>,
): Promise<readonly Sized[]> {
  const held: Sized[] = [];
  let bytes = 0;
  for await (const object of objects) {
    held.push(object);
    bytes += object.size;
    if (bytes > MOST) {
      throw new Error(
        `This browser holds a zip in memory: at most ${sizeText(MOST)} fit. Use Chrome or Edge, ` +
          'which write it to a file, or the command “stowage cp -r”.',
      );
    }
  }
  return held;
}
