/** examples/folders: two people sign in, and each sees the own folder, live, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { type Browser, chromium } from 'playwright-core';
import { FoldersStack } from '../../examples/folders/lib/folders-stack';
import {
  newDataFolder,
  type Running,
  startLocalService,
} from '../support/local-service/start-local-service';
import { until } from '../support/until';
import { describeInBrowser } from './browser';

jest.setTimeout(300_000);

const ROOT = path.join(__dirname, '../..');

/** A copy of the app's server beside the built client, as `npm install` would place it. */
function installed(folder: string): string {
  const app = path.join(folder, 'app');
  for (const part of ['server.mjs', 'page']) {
    cpSync(path.join(ROOT, 'examples/folders', part), path.join(app, part), { recursive: true });
  }
  const client = path.join(app, 'node_modules/stowage');
  mkdirSync(client, { recursive: true });
  cpSync(path.join(ROOT, 'dist/client/index.mjs'), path.join(client, 'client.mjs'));
  const manifest = { name: 'stowage', exports: { './client': './client.mjs' } };
  writeFileSync(path.join(client, 'package.json'), JSON.stringify(manifest));
  return app;
}

/** Starts the app's server on a free port, and returns the process and the port. */
async function startServer(cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const port = await until('the server of the app', () => {
    if (child.exitCode !== null) throw new Error(output);
    return /open http:\/\/localhost:(\d+)\//.exec(output)?.[1];
  });
  return { child, port };
}

test('the example folders uses the versions of the repository', () => {
  const read = (folder: string) =>
    JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
  const { dependencies, devDependencies } = read('examples/folders');
  const { stowage: _ours, ...versions } = { ...dependencies, ...devDependencies };
  expect(read('.').devDependencies).toMatchObject(versions);
});

describeInBrowser('the example folders', (executablePath) => {
  const data = newDataFolder();
  let service: Running | undefined;
  let server: ChildProcess | undefined;
  let browser: Browser | undefined;
  let password = '';

  beforeAll(async () => {
    const outdir = path.join(data.folder, 'cdk.out');
    const app = new App({ outdir, builtinCloudFormationValidation: false });
    new FoldersStack(app, 'folders');
    app.synth();
    const folder = path.join(data.folder, 'data');
    service = await startLocalService(folder, ['--cdk-out', outdir, '--stack', 'folders']);
    const { outputs, signIn } = JSON.parse(
      readFileSync(path.join(folder, 'endpoints.json'), 'utf8'),
    );
    password = signIn.password;
    const { child, port } = await startServer(installed(data.folder), {
      STOWAGE_URL: service.baseUrl,
      STOWAGE_KEY: service.apiKey,
      CLIENT_ID: outputs.PageClientId,
      PORT: '0',
    });
    server = child;
    browser = await chromium.launch({
      executablePath,
      // The stack names the port of the page; the server of this test has another one.
      args: ['--no-sandbox', `--host-resolver-rules=MAP localhost:3000 127.0.0.1:${port}`],
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.kill();
    await service?.kill();
    data.remove();
  });

  /** A browser of its own in which the person has signed in. */
  const open = async (name: string) => {
    const context = await browser?.newContext();
    if (context === undefined) throw new Error('the browser does not run');
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    await page.goto('http://localhost:3000/');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('User name').fill(`${name}@localhost`);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(`Signed in as ${name}@localhost`).waitFor();
    return {
      upload: (file: string) =>
        page
          .getByLabel('Upload a file')
          .setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(file) }),
      /** Waits until the page lists these files, and no others. */
      shows: (...files: string[]) =>
        until(`the files ${files}`, async () => {
          const listed = await page.getByRole('listitem').allTextContents();
          return JSON.stringify(listed) === JSON.stringify(files);
        }),
    };
  };

  let tries = 0;

  test('each person sees the own files on every device, when they change, and no others', async () => {
    tries += 1;
    const [she, he] = [`ada${tries}`, `bob${tries}`];
    const [ada, phone, bob] = [await open(she), await open(she), await open(he)];
    await ada.upload('plan.txt');
    await phone.shows('plan.txt');
    await bob.upload('other.txt');
    await bob.shows('other.txt');
    await phone.upload('photo.jpg');
    await ada.shows('photo.jpg', 'plan.txt');
    await bob.shows('other.txt');
  });
});
