/** Chromium with the dashboard of a local service, operated like a person does. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { newDataFolder, type Running, startLocalService } from '../system/support/local-service';

/** The usual installation paths; CHROMIUM_PATH names another program. */
const PROGRAMS = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PROGRAMS.find((program) => program !== '' && existsSync(program));

/** Whether the tests fail without a browser. */
const IS_REQUIRED = process.env.CI === 'true' || process.env.BROWSER_TESTS === 'required';

const MISSING =
  'Chromium was not found: install the package chromium, or name its program in CHROMIUM_PATH';

/**
 * Without a browser the tests are reported as skipped; with CI=true or BROWSER_TESTS=required they
 * fail.
 */
export function describeInBrowser(subject: string, tests: (path: string) => void): void {
  if (CHROMIUM === undefined && IS_REQUIRED) {
    test(`${subject} in a browser`, () => {
      throw new Error(MISSING);
    });
    return;
  }
  if (CHROMIUM === undefined) process.stderr.write(`\nSKIPPED: ${subject}: ${MISSING}\n\n`);
  const describeIfFound = CHROMIUM === undefined ? describe.skip : describe;
  describeIfFound(subject, () => tests(CHROMIUM ?? ''));
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, dialogs, and violations of the security policy. */
  readonly pageErrors: string[];
}

export interface Dashboard {
  readonly service: () => Running;
  /** Opens an empty page in a new browser context. */
  openEmpty(options?: BrowserContextOptions): Promise<OpenPage>;
  /** Opens the page in a new browser context, without a sign-in. */
  openSignedOut(options?: BrowserContextOptions): Promise<OpenPage>;
  /** Opens the page in a new browser context and signs in. */
  openSignedIn(options?: BrowserContextOptions): Promise<OpenPage>;
  /** Sends a request to the storage interface, with the first key unless `key` names another. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
}

export interface RequestOptions {
  readonly body?: string | Uint8Array;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One service and one browser for the tests of a file. `flags` are more of the browser's. */
export function useDashboard(
  executablePath: string,
  flags: () => readonly string[] = () => [],
): Dashboard {
  const data = newDataFolder();
  let running: Running | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    running = await startLocalService(data.folder);
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...flags()] });
  });
  afterAll(async () => {
    await browser?.close();
    await running?.kill();
    data.remove();
  });
  const service = () => {
    if (!running) throw new Error('the service does not run');
    return running;
  };
  const openEmpty = async (options: BrowserContextOptions = {}): Promise<OpenPage> => {
    if (!browser) throw new Error('the browser does not run');
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      // During a transition, texts do not have their final contrast.
      reducedMotion: 'reduce',
      ...options,
    });
    // Other tests may use the machine at the same time.
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    return { page, pageErrors: collectErrors(page) };
  };
  const openSignedOut = async (options?: BrowserContextOptions): Promise<OpenPage> => {
    const opened = await openEmpty(options);
    await opened.page.goto(`${service().baseUrl}/`);
    await opened.page.getByRole('button', { name: 'Sign in' }).waitFor();
    return opened;
  };
  return {
    service,
    openEmpty,
    openSignedOut,
    openSignedIn: async (options) => {
      const opened = await openSignedOut(options);
      await signIn(opened.page, passwordIn(data.folder));
      return opened;
    },
    request: (method, where, { body, key, headers } = {}) =>
      fetch(`${service().baseUrl}/api/v2/storage${where}`, {
        method,
        headers: { authorization: `Bearer ${key ?? service().apiKey}`, ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      }),
  };
}

function collectErrors(page: Page): string[] {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    pageErrors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && /security policy|trusted/i.test(message.text())) {
      pageErrors.push(`policy: ${message.text()}`);
    }
  });
  return pageErrors;
}

function passwordIn(folder: string): { readonly password: string; readonly user: string } {
  const { signIn } = JSON.parse(readFileSync(path.join(folder, 'endpoints.json'), 'utf8'));
  return signIn;
}

async function signIn(page: Page, { password }: { readonly password: string }): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
}

/** Widths of a desktop window and of a phone. */
export const WIDTHS = [1280, 390] as const;

/** The folder for screenshots of all checked pages. undefined: no screenshots. */
const PICTURES = process.env.STOWAGE_PICTURES;

/**
 * Checks the current page in light and in dark mode. Returns its violations. `isApp`: whether it is
 * one of the dashboard, which changes its colours by a script.
 */
export async function check(page: Page, name: string, isApp = true): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    if (isApp) {
      await page.waitForFunction(
        (isDark) => document.body.classList.contains('awsui-dark-mode') === isDark,
        colorScheme === 'dark',
      );
    }
    found.push(...(await violations(page)).map((text) => `${name}, ${colorScheme}: ${text}`));
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

/** Violations of WCAG 2.2 A and AA, each with the first element concerned. */
async function violations(page: Page): Promise<readonly string[]> {
  // It stays until the page is loaded anew; navigating by the hash loads nothing.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const found = await axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      // Less to describe: what passes, and where.
      resultTypes: ['violations'],
      selectors: false,
    });
    return found.violations.map(
      ({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`,
    );
  });
}
