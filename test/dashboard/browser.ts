/** Chromium with the dashboard of a local service, used as a person uses it. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { newDataFolder, type Running, startLocalService } from '../system/support/local-service';

/** Where operating systems install it; CHROMIUM_PATH names another program. */
const PLACES = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PLACES.find((place) => place !== '' && existsSync(place));

/** Set where the browser tests must not be skipped. */
const IS_REQUIRED = process.env.CI === 'true' || process.env.BROWSER_TESTS === 'required';

const MISSING =
  'no Chromium was found: install the package chromium, or name its program in CHROMIUM_PATH';

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

export interface Visit {
  readonly page: Page;
  /** Errors of scripts, dialogs, and violations of the security policy. */
  readonly complaints: string[];
}

export interface Stage {
  readonly service: () => Running;
  /** A new visitor who has not signed in yet. */
  arrive(options?: BrowserContextOptions): Promise<Visit>;
  /** A new, signed-in visitor. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  /** The storage interface, with the first key unless another one is given. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
}

export interface RequestOptions {
  readonly body?: string | Uint8Array;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One service and one browser for the tests of a file. */
export function useStage(executablePath: string): Stage {
  const data = newDataFolder();
  let running: Running | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    running = await startLocalService(data.folder);
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await running?.kill();
    data.remove();
  }, 30_000);
  const service = () => {
    if (!running) throw new Error('the service does not run');
    return running;
  };
  const arrive = async (options: BrowserContextOptions = {}): Promise<Visit> => {
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
    const complaints = listen(page);
    await page.goto(`${service().baseUrl}/`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    return { page, complaints };
  };
  return {
    service,
    arrive,
    visit: async (options) => {
      const visit = await arrive(options);
      await signIn(visit.page, passwordIn(data.folder));
      return visit;
    },
    request: (method, where, { body, key, headers } = {}) =>
      fetch(`${service().baseUrl}/api/v2/storage${where}`, {
        method,
        headers: { authorization: `Bearer ${key ?? service().apiKey}`, ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      }),
  };
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && /security policy|trusted/i.test(message.text())) {
      complaints.push(`policy: ${message.text()}`);
    }
  });
  return complaints;
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

/** The folder in which screenshots of everything that is checked are saved. */
const PICTURES = process.env.STOWAGE_PICTURES;

/** Checks what the page shows now, in light and in dark mode. Returns what is wrong. */
export async function check(page: Page, what: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      (isDark) => document.body.classList.contains('awsui-dark-mode') === isDark,
      colorScheme === 'dark',
    );
    found.push(...(await violations(page)).map((wrong) => `${what}, ${colorScheme}: ${wrong}`));
    if (PICTURES !== undefined) {
      const name = `${what}-${page.viewportSize()?.width}-${colorScheme}`.replace(/[^\w-]+/g, '_');
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
    }
  }
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (overflow > 0) found.push(`${what}: ${overflow} pixels too wide`);
  return found;
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of WCAG 2.2 A and AA, each with the first element concerned. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: typeof import('axe-core') };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const found = await axe.run(document, { runOnly: { type: 'tag', values: tags } });
    return found.violations.map(
      ({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`,
    );
  });
}
