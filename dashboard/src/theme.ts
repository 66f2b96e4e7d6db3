/** Light or dark mode: the mode of the system, or the one that the user has chosen. */
import { applyMode, Mode } from '@cloudscape-design/global-styles';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const STORED_AS = 'stowage.theme';
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  const stored = localStorage.getItem(STORED_AS);
  return THEMES.find((known) => known === stored) ?? 'system';
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(STORED_AS, chosen);
  apply();
}

export function startTheme(): void {
  systemDark.addEventListener('change', apply);
  apply();
}

function apply(): void {
  const chosen = theme();
  const isDark = chosen === 'dark' || (chosen === 'system' && systemDark.matches);
  applyMode(isDark ? Mode.Dark : Mode.Light);
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
}
