/** Caching of responses to requests with Authorization (RFC 9111 §3.5, §5.2.2). */

/**
 * Returns Cache-Control of an object for a caller with an API key: the stored value without the
 * directives that let a shared cache store the response (`public`, `s-maxage`), and with `private`
 * unless it forbids storing. Without a stored value a private cache may keep the response, and must
 * revalidate it before each use.
 */
export function privateCacheControl(stored: string | undefined): string {
  if (stored === undefined) return 'private, no-cache';
  const kept = stored
    .split(',')
    .map((directive) => directive.trim())
    .filter(
      (directive) => directive !== '' && !/^(?:public|s-maxage(?:[ \t]*=.*)?)$/i.test(directive),
    );
  const isPrivate = kept.some((directive) => /^(?:private|no-store)$/i.test(directive));
  return [...(isPrivate ? [] : ['private']), ...kept].join(', ');
}
