/** Decides which payloads are binary, by the API's `binaryMediaTypes`. */

/** Returns the media type of a Content-Type, or the first of an Accept, without parameters. */
function mediaType(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^[^,;]*/.exec(header)?.[0].trim().toLowerCase();
}

/**
 * Only entries of the list may have wildcards: the entry `image/png` does not match the client's
 * `image/*`. An absent header matches only the entry for all types.
 */
export function isBinary(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  const type = mediaType(header);
  return binaryMediaTypes.some((listed) => {
    if (listed === '*/*' || listed === type) return true;
    return listed.endsWith('/*') && type?.startsWith(listed.slice(0, -1)) === true;
  });
}
