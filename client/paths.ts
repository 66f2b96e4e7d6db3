/** Parts of requests, checked: no name or key can lead to another resource. */

/**
 * Returns the path of an object. Each segment of the key is encoded by itself, so that slashes stay
 * slashes. Throws TypeError for a value that is not a key.
 */
export function objectPath(bucket: string, key: string): string {
  if (typeof key !== 'string' || key === '') {
    throw new TypeError(`the key of an object must be a non-empty string, got ${key}`);
  }
  const segments = key.split('/').map((each) => each && segment(each, 'a segment of a key'));
  return `${objectsPath(bucket)}/${segments.join('/')}`;
}

/** Returns the path of the list of a bucket's objects. */
export function objectsPath(bucket: string): string {
  return `objects/${segment(bucket, 'a bucket')}`;
}

/**
 * Returns a segment of a path, percent-encoded. Throws TypeError for a text that would lead to
 * another resource: URLs resolve `.` and `..`.
 */
export function segment(text: string, what: string): string {
  if (typeof text !== 'string' || ['', '.', '..'].includes(text)) {
    throw new TypeError(
      `the name of ${what} must be a string other than "", "." and "..", got ${text}`,
    );
  }
  return encoded(text);
}

/**
 * Returns the text percent-encoded. Throws TypeError for half a surrogate pair, which has no
 * encoding.
 */
export function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new TypeError('names, keys and query values must be well-formed Unicode', { cause });
  }
}

/** Throws TypeError unless the option is a whole number from `least` to `most`. */
export function requireWhole(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}, got ${value}`);
  }
}
