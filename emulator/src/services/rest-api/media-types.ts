/** Which payloads are binary: matching against the API's binaryMediaTypes (aws-facts 1.6). */

/** The media type of a Content-Type, or the first of an Accept; parameters dropped. */
function mediaType(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^[^,;]*/.exec(header)?.[0].trim().toLowerCase();
}

/**
 * Literal but for the wildcards of the list's own entries: with `image/png` listed, a client's
 * `image/*` does not match. No header matches only the catch-all entry.
 */
export function isBinary(binaryMediaTypes: readonly string[], header: string | undefined): boolean {
  const type = mediaType(header);
  return binaryMediaTypes.some((listed) => {
    if (listed === '*/*' || listed === type) return true;
    return listed.endsWith('/*') && type?.startsWith(listed.slice(0, -1)) === true;
  });
}
