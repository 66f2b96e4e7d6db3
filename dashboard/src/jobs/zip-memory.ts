/** The size limit of a zip in browsers that cannot write a file while it is downloaded. */
import { sizeText } from '../parts/format';

/** Most bytes of all objects in a zip. */
const MOST = 1024 ** 3;

/**
 * Returns the objects. Throws before any of them is downloaded when they are larger than a browser
 * should hold.
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
