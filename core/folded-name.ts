/** Names that are one on some file systems. It imports nothing: the dashboard uses it too. */

/** Returns the same text for names that are one file where case and normalization are ignored. */
export function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}
