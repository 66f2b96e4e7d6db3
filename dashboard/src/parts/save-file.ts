/** Saves content as a file of the browser. */

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  followLink(url, { download: name });
  // The browser reads it after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Follows a link as a click does: in a new tab, or into the file `download`. */
export function followLink(url: string, options: { readonly download?: string } = {}): void {
  const link = document.createElement('a');
  link.href = url;
  link.rel = 'noopener noreferrer';
  if (options.download === undefined) link.target = '_blank';
  else link.download = options.download;
  document.body.append(link);
  link.click();
  link.remove();
}
