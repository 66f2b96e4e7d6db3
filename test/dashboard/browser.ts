/** Chromium with the dashboard of a local service, operated like a person does. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { ServedAdmin } from '../../cli/operate/served-admin';
import {
  newDataFolder,
  type Running,
  startServed,
} from '../support/local-service/start-local-service';
import type { TemporaryFolder } from '../support/temporary-folder';

/**
 * The usual installation paths; CHROMIUM_PATH names another program. First the one without windows,
 * which needs less processor time for the same pages.
 */
const PROGRAMS = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PROGRAMS.find((program) => program !== '' && existsSync(program));

/** Whether the tests fail without a browser. */
const IS_REQUIRED = process.env.CI === 'true' || process.env.BROWSER_TESTS === 'required';

const MISSING =
  'Chromium was not found: install chromium-headless-shell, or name a program in CHROMIUM_PATH';

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
  /** Opens an empty page in a new browser context, which ends with the test. */
  openEmpty(width?: number): Promise<OpenPage>;
  /**
   * Signs in in a new browser context, which ends with the test: for tests of the sign-in. It takes
   * seconds; the others use `open`.
   */
  signIn(width?: number): Promise<OpenPage>;
  /**
   * Opens the page `#/hash` in the window of that width in which the file's tests are signed in. No
   * request is answered by an earlier test any more.
   */
  open(hash: string, options?: OpenOptions): Promise<OpenPage>;
  /** Sends a request to the storage interface, with the first key unless `key` names another. */
  request(method: string, path: string, options?: RequestOptions): Promise<Response>;
}

export interface OpenOptions {
  /** @default 1280 */
  readonly width?: number;
  /**
   * Loads the dashboard again, which leaves nothing of earlier tests: jobs, uploads, focus, changes
   * of the window. @default false
   */
  readonly anew?: boolean;
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
  let data: TemporaryFolder | undefined;
  let running: Running | undefined;
  let browser: Browser | undefined;
  let windows: Dashboard['open'] | undefined;
  const service = () => {
    if (!running) throw new Error('the service does not run');
    return running;
  };
  const newContext = async () => {
    if (!browser) throw new Error('the browser does not run');
    // During a transition, texts do not have their final contrast.
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    // Other tests may use the machine at the same time.
    context.setDefaultTimeout(90_000);
    return context;
  };
  const signInTo = async (context: BrowserContext, width: number) => {
    const opened = await openPage(context, width);
    await opened.page.goto((await ServedAdmin.of(data?.folder ?? '')?.link()) ?? '');
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };
  beforeAll(async () => {
    data = newDataFolder();
    running = await startServed(data.folder);
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...flags()] });
    windows = useWindows(
      async (width) => signInTo(await newContext(), width),
      () => `${service().baseUrl}/`,
    );
  });
  afterAll(async () => {
    await browser?.close();
    await running?.kill();
    data?.remove();
  });
  const endingContext = useEndingContexts(newContext);
  return {
    service,
    openEmpty: async (width) => openPage(await endingContext(), width),
    signIn: async (width = 1280) => signInTo(await endingContext(), width),
    open: (hash, options) => {
      if (!windows) throw new Error('the browser does not run');
      return windows(hash, options);
    },
    request: (method, where, { body, key, headers } = {}) =>
      fetch(`${service().baseUrl}/api/v2/storage${where}`, {
        method,
        headers: { authorization: `Bearer ${key ?? service().apiKey}`, ...headers },
        ...(body !== undefined && { body: body as BodyInit }),
      }),
  };
}

/** Browser contexts that are closed after the test, so that their pages use no processor time. */
function useEndingContexts(newContext: () => Promise<BrowserContext>) {
  const contexts: BrowserContext[] = [];
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  return async () => {
    const context = await newContext();
    contexts.push(context);
    return context;
  };
}

async function openPage(context: BrowserContext, width = 1280): Promise<OpenPage> {
  const page = await context.newPage();
  await page.setViewportSize({ width, height: 844 });
  return { page, pageErrors: collectErrors(page) };
}

/** Windows of one browser context by their width, all of them signed in. */
function useWindows(
  signIn: (width: number) => Promise<OpenPage>,
  root: () => string,
): Dashboard['open'] {
  const windows = new Map<number, OpenPage>();
  /** The issuer remembers who has signed in, so that no other window asks. */
  const openNext = async (other: OpenPage | undefined, width: number) => {
    if (other === undefined) return signIn(width);
    const opened = await openPage(other.page.context(), width);
    await opened.page.goto(root());
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };
  return async (hash, { width = 1280, anew = false } = {}) => {
    const known = windows.get(width);
    const [other] = windows.values();
    if (anew) await other?.page.evaluate(() => localStorage.clear());
    const opened = known ?? (await openNext(other, width));
    windows.set(width, opened);
    const { page, pageErrors } = opened;
    pageErrors.length = 0;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.bringToFront();
    if (known && anew) {
      await page.goto(root());
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    await visit(page, hash);
    return opened;
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

/**
 * Goes to the page `#/hash` of the dashboard and resolves when it is shown, which may still read
 * what it shows. Nothing of an earlier page is left, not even when that was the same: a text that
 * stands on both pages is that of the new one.
 */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate(
    async (addresses) => {
      for (const address of addresses) {
        if (location.hash === address) continue;
        // The dashboard listens since it was opened, so that it has changed its page before.
        const changed = new Promise((resolve) => {
          addEventListener('hashchange', resolve, { once: true });
        });
        location.hash = address;
        await changed;
      }
    },
    // Between the two there is no page.
    ['#/-', `#/${hash}`],
  );
}

/**
 * A text that the page shows. What is announced to screen readers stands there once more, a second
 * later: a locator of both would fail on a slow machine only.
 */
export const textOn = (page: Page, text: string | RegExp, options?: { exact: boolean }): Locator =>
  page.getByText(text, options).and(page.locator(':not([aria-live])'));

/** Resolves when the page shows no loading text. */
export const untilLoaded = (page: Page) =>
  textOn(page, /Reading .*…|^Connecting/)
    .first()
    .waitFor({ state: 'detached' });
