// What `npm start` and `npm test` need on a fresh clone: the packages of package-lock.json.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a command in the project's folder; ends this process with its exit code when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Installs when node_modules is missing or older than the lock file. */
export function ensureInstalled() {
  const marker = path.join(root, 'node_modules', '.package-lock.json');
  const lock = path.join(root, 'package-lock.json');
  if (existsSync(marker) && statSync(marker).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('installing packages (npm ci) …');
  runNpm(['ci', '--no-audit', '--no-fund'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs npm: the one that runs this script, if any. On Windows npm is a batch file. */
export function runNpm(args, options) {
  const own = process.env.npm_execpath;
  if (own?.endsWith('.js')) run(process.execPath, [own, ...args], options);
  else run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/**
 * Runs a package's command with this very Node.js. Not by node_modules/.bin, which has batch files
 * on Windows.
 */
export function runTool(name, args, options) {
  const manifest = createRequire(import.meta.url).resolve(`${PACKAGES[name] ?? name}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const script = typeof bin === 'string' ? bin : bin[name];
  run(process.execPath, [path.join(path.dirname(manifest), script), ...args], options);
}

/** Packages whose command has another name. */
const PACKAGES = { tsc: 'typescript' };
