/**
 * The inventory of the behaviours that the suite covers, read from the registrations of the specs
 * themselves. `npx tsx test/acceptance/inventory.ts` prints it.
 */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Behaviour, recordBehaviours } from './support/behaviour';
import { CAPABILITIES } from './support/capabilities';

export interface Entry extends Behaviour {
  /** Path of the spec. */
  readonly file: string;
  /** The `describe` it stands in: an endpoint or a table of docs/api.md. */
  readonly group: string;
}

const FOLDER = path.join(__dirname, 'specs');
const load = createRequire(__filename);

/**
 * Loads every spec without jest and without a target: bodies of `describe` run, tests and hooks do
 * not.
 */
export function readInventory(): readonly Entry[] {
  const entries: Entry[] = [];
  let file = '';
  let group = '';
  recordBehaviours((behaviour) => entries.push({ ...behaviour, file, group }));
  const nothing = () => undefined;
  Object.assign(globalThis, {
    describe: (title: string, body: () => void) => {
      group = title;
      body();
    },
    // Tables at the top of a describe may hold matchers; they are only read when a test runs.
    expect: new Proxy(nothing, { get: () => nothing }),
    beforeAll: nothing,
    afterAll: nothing,
  });
  const specs = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  for (const name of specs.filter((name) => name.endsWith('.test.ts')).sort()) {
    file = path.join(FOLDER, name);
    load(file);
  }
  return entries;
}

function inventoryText(entries: readonly Entry[]): string {
  const lines = [
    '# Behaviours covered',
    '',
    `${entries.length} behaviours, by the endpoint or table of docs/api.md that promises them. Brackets`,
    'contain what a behaviour needs of the target beyond the core:',
    '',
    ...Object.entries(CAPABILITIES).map(([name, reason]) => `- \`${name}\`: ${reason}`),
  ];
  for (const group of [...new Set(entries.map((entry) => entry.group))]) {
    lines.push('', `## ${group}`, '');
    for (const { name, needs } of entries.filter((entry) => entry.group === group)) {
      lines.push(`- ${name}${needs.length > 0 ? ` [${needs.join(', ')}]` : ''}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

if (require.main === module) process.stdout.write(inventoryText(readInventory()));
