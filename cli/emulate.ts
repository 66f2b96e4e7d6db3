/**
 * `npm run emulate`, once everything is built and synthesized: the environment dev, unless the
 * arguments name another stack.
 */
import { emulate } from './operate/start';

void emulate(['--stack', 'stowage-dev', ...process.argv.slice(2)], {
  start: 'npm run emulate',
  createKey: 'npm run create-key',
  separator: ' --',
});
