/** Paragraphs and tables of the report. */

/** Breaks a paragraph into lines of at most 100 columns. */
export function wrap(paragraph: string): string {
  return paragraph.replace(/(.{1,100})(?: |$)/g, '$1\n').trimEnd();
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
