/**
 * `npm run openapi`: writes the OpenAPI document. With `--check` it only reports whether the
 * document is current, and whether it keeps Redocly's strict rules.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';
import { createDocument } from '../openapi/document';

const ROOT = path.join(__dirname, '..');

/** Where the dashboard's build takes static files from, so that the page is served beside it. */
const DOCUMENT = 'dashboard/public/openapi.json';

const RULES: RawUniversalConfig = {
  extends: ['recommended-strict'],
  rules: {
    'operation-tag-defined': 'error',
    'no-invalid-schema-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-required-schema-properties-undefined': 'error',
    'parameter-description': 'error',
    'component-name-unique': 'error',
    'path-http-verbs-order': 'off',
  },
};

async function lint(text: string): Promise<string[]> {
  const config = await createConfig(RULES);
  const problems = await lintFromString({ source: text, absoluteRef: DOCUMENT, config });
  return problems.map(({ ruleId, message, location }) => {
    const at = location.map(({ pointer }) => pointer).join(', ');
    return `${ruleId} at ${at}: ${message}`;
  });
}

function isCurrent(text: string): boolean {
  try {
    return readFileSync(path.join(ROOT, DOCUMENT), 'utf8') === text;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const text = `${JSON.stringify(createDocument(version), undefined, 2)}\n`;
  const problems = await lint(text);
  if (!isCurrent(text)) {
    if (process.argv.includes('--check')) {
      problems.push(`${DOCUMENT} is out of date: run \`npm run openapi\``);
    } else {
      writeFileSync(path.join(ROOT, DOCUMENT), text);
      console.log(`wrote ${DOCUMENT}`);
    }
  }
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

void main();
