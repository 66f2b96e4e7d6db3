/** The parts of an upload: their ranges, and the request that puts them together. */

/** The bytes [from, to) of a part; parts count from 1. */
export function rangeOfPart(
  { partSize, size }: { readonly partSize: number; readonly size: number },
  number: number,
): { readonly from: number; readonly to: number } {
  const from = (number - 1) * partSize;
  return { from, to: Math.min(from + partSize, size) };
}

/**
 * The body of https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html.
 * `etags`: of the parts, in their order.
 */
export function completionOf(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  );
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const root = 'CompleteMultipartUpload';
  return `<${root} xmlns="${namespace}">${parts.join('')}</${root}>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
