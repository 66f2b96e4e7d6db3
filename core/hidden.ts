/** Characters that hide how a text is read. It imports nothing: the dashboard uses it too. */

/**
 * Control characters and those that change how a text is read, such as U+202E: Unicode Technical
 * Report 36, "Bidirectional Text Spoofing". U+200C and U+200D are left: emoji and several scripts
 * need them.
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the text with each hidden character replaced. */
export function withoutHidden(text: string, replacement: string): string {
  return text.replace(HIDDEN, replacement);
}

/** Returns the text with each hidden character as `\u{202e}`, for people. */
export function shownText(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
