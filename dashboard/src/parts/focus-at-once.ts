/**
 * For the first field of a dialog: Cloudscape puts the focus on the button that closes it, and does
 * so a little later.
 */
export function focusAtOnce(field: { focus(): void } | null): void {
  if (field) setTimeout(() => field.focus());
}
