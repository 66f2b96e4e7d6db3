// Ends the process with one sentence when this Node.js is too old for stowage. Imported before
// anything else, because an older Node.js fails in a dependency, with a stack trace.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
const required = Number(/\d+/.exec(engines.node)?.[0]);
if (Number.parseInt(process.versions.node, 10) < required) {
  console.error(`stowage needs Node.js ${required} or later; this is ${process.version}`);
  process.exit(1);
}
