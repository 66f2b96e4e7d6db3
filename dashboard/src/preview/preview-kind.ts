/** Chooses how an object is shown, by its content type or the end of its name. */

export type PreviewKind = 'picture' | 'text' | 'pdf' | 'audio' | 'video';

const TEXT_TYPES =
  /^(text\/.+|application\/(json|xml|javascript|x-javascript|yaml|x-yaml|toml|x-sh|sql|x-ndjson)|.+\+(json|xml|yaml))$/;

/** Content type of uploads without a type of their own. */
const TEXT_NAMES =
  /\.(txt|md|log|csv|tsv|json|ndjson|ya?ml|toml|ini|conf|xml|html?|css|m?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql)$/i;

/** Returns undefined when the object has no preview. */
export function previewKind(object: {
  readonly key: string;
  readonly content_type: string;
}): PreviewKind | undefined {
  const type = object.content_type.split(';')[0]?.trim().toLowerCase() ?? '';
  // An <img> runs no scripts, not even those of an SVG: https://www.w3.org/TR/SVG2/conform.html
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
