/** As S3 writes times in XML: whole seconds, with the milliseconds spelled out. */
export function formatTime(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString();
}
