/** How the page shows an object, by its content type, or by the end of its name. */

export type PreviewKind = 'picture' | 'text' | 'pdf' | 'audio' | 'video';

const TEXT_TYPES =
  /^(text\/.+|application\/(json|xml|javascript|x-javascript|yaml|x-yaml|toml|x-sh|sql|x-ndjson)|.+\+(json|xml|yaml))$/;

/** For uploads without a type. */
const TEXT_NAMES =
  /\.(txt|md|log|csv|tsv|json|ndjson|ya?ml|toml|ini|conf|xml|html?|css|m?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql)$/i;

/** Returns undefined for what the page does not show. */
export function previewKind(object: {
  readonly key: string;
  readonly content_type: string;
}): PreviewKind | undefined {
  const type = object.content_type.split(';')[0]?.trim().toLowerCase() ?? '';
  // A picture runs no script, not even one of SVG: https://www.w3.org/TR/SVG2/conform.html
  if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)$/.test(type)) {
    return 'picture';
  }
  if (type === 'application/pdf') return 'pdf';
  if (type.startsWith('audio/')) return 'audio';
  if (type.startsWith('video/')) return 'video';
  if (TEXT_TYPES.test(type)) return 'text';
  const hasNoType = type === 'application/octet-stream' || type === '';
  return hasNoType && TEXT_NAMES.test(object.key) ? 'text' : undefined;
}
