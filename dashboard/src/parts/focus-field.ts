/**
 * Focuses the first field of a dialog, after Cloudscape has focused the button that closes the
 * dialog.
 */
export function focusField(field: { focus(): void } | null): void {
  if (field) setTimeout(() => field.focus());
}
