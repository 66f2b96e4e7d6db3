/** Text below a field with a name, which a browser shows as it likes. */
import { shownText } from '../../../core/hidden';

/** Returns how a name with hidden characters reads; undefined: it has none. */
export function hiddenNote(name: string): string | undefined {
  const shown = shownText(name);
  return shown === name ? undefined : `It has hidden characters: ${shown}`;
}
