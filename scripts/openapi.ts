/**
 * `npm run openapi`: writes the OpenAPI document and the types that follow from it; with `--check`
 * only says whether they are current and keep Redocly's strict rules.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createConfig, lintFromString, type RawUniversalConfig } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import { createDocument } from '../openapi/document';

const ROOT = path.join(__dirname, '..');

/** Where the dashboard's build takes static files from, so that the page is served beside it. */
const DOCUMENT = 'dashboard/public/openapi.json';
const TYPES = 'dashboard/src/api/schema.d.ts';

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

async function made(): Promise<Readonly<Record<string, string>>> {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const text = `${JSON.stringify(createDocument(version), undefined, 2)}\n`;
  // Not `immutable`: openapi-fetch takes readonly arrays apart as if they were records.
  const types = astToString(await openapiTS(text));
  return { [DOCUMENT]: text, [TYPES]: `// Made by npm run openapi.\n${types}` };
}

function isCurrent(file: string, text: string): boolean {
  try {
    return readFileSync(path.join(ROOT, file), 'utf8') === text;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const files = await made();
  const problems = await lint(files[DOCUMENT] ?? '');
  const stale = Object.entries(files).filter(([file, text]) => !isCurrent(file, text));
  if (process.argv.includes('--check')) {
    problems.push(...stale.map(([file]) => `${file} is out of date: npm run openapi`));
  } else {
    for (const [file, text] of stale) {
      mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
      writeFileSync(path.join(ROOT, file), text);
      console.log(`wrote ${file}`);
    }
  }
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

void main();
