/** Whether pages are accessible: WCAG, light and dark, as wide as the window. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

/** Widths of a desktop window and of a phone. */
export const WIDTHS = [1280, 390] as const;

/** The folder for screenshots of all checked pages. undefined: no screenshots. */
const PICTURES = process.env.STOWAGE_PICTURES;

/** The rules that depend on colours. Nothing else differs between the modes. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The mode in which a page was checked last: the next check begins with it, as a change costs. */
const modes = new WeakMap<Page, 'light' | 'dark'>();

/**
 * Checks the current page in light and in dark mode. Returns its violations. `isApp`: whether it is
 * one of the dashboard, which changes its colours by a script.
 */
export async function check(page: Page, name: string, isApp = true): Promise<readonly string[]> {
  const found: string[] = [];
  const [first, second] =
    modes.get(page) === 'dark' ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  modes.set(page, second);
  for (const colorScheme of [first, second]) {
    await page.emulateMedia({ colorScheme });
    if (isApp) {
      await page.waitForFunction(
        (isDark) => document.body.classList.contains('awsui-dark-mode') === isDark,
        colorScheme === 'dark',
      );
    }
    const broken = await violations(page, colorScheme === second);
    found.push(...broken.map((text) => `${name}, ${colorScheme}: ${text}`));
    if (PICTURES !== undefined) {
      const file = `${name}-${page.viewportSize()?.width}-${colorScheme}`.replace(/[^\w-]+/g, '_');
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: path.join(PICTURES, `${file}.png`) });
    }
  }
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (overflow > 0) found.push(`${name}: ${overflow} pixels too wide`);
  return found;
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations of WCAG 2.2 A and AA, each with the first element concerned. `ofColours`: only of the
 * rules that depend on colours.
 */
async function violations(page: Page, ofColours: boolean): Promise<readonly string[]> {
  // It stays until the page is loaded anew; navigating by the hash loads nothing.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const found = await axe.run(document, {
      runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: tags },
      // Less to describe: what passes, and where.
      resultTypes: ['violations'],
      selectors: false,
    });
    return found.violations.map(
      ({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`,
    );
  }, ofColours && COLOUR_RULES);
}
