/**
 * `npm start`, once everything is built and synthesized: the environment dev, unless the arguments
 * name another stack.
 */
import { serve } from './operate/start';

void serve(['--stack', 'stowage-dev', ...process.argv.slice(2)], {
  start: 'npm start',
  createKey: 'npm run create-key',
  separator: ' --',
});
