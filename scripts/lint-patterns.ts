/**
 * `npm run lint`: no regular expression takes time that grows faster than its input. Looks at the
 * sources that handle input of others, and at the patterns that the OpenAPI document publishes,
 * because validators of other people run them. scslre finds what backtracks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';

const ROOT = path.join(__dirname, '..');

const FOLDERS = [
  'adapters',
  'core',
  'lambdas',
  'lib',
  'bin',
  'cli',
  'client',
  'dashboard/src',
  'emulator/src',
  'openapi',
  'service',
];

const DOCUMENT = 'dashboard/public/openapi.json';

/** Files that compose an expression at run time, and why that is safe. */
const COMPOSED: Readonly<Record<string, string>> = {
  'core/access/api-key.ts': 'API_KEY, which the OpenAPI document publishes',
  'core/access/temporary-keys.ts': 'API_TOKEN, which the OpenAPI document publishes',
  'core/http/content-disposition.ts': 'DISPOSITION, which the OpenAPI document publishes',
  'service/routes/routes.ts': 'names without a slash, each between slashes of TABLE',
  'emulator/src/services/edge/model.ts': 'path patterns of the template',
  'emulator/src/services/rest-api/model/authorizer-model.ts':
    'the expression of the template, which test/lib/gateway checks',
};

/** What is wrong with an expression; undefined: its time grows linearly. */
export function slowness(source: string, flags = ''): string | undefined {
  const [report] = analyse({ source, flags }, { maxReports: 1 }).reports;
  if (report === undefined) return undefined;
  const growth = report.exponential ? 'exponentially' : 'as a power of the length';
  return `the time of /${source}/${flags} grows ${growth} when ${JSON.stringify(report.character.pick)} repeats`;
}

/** The lines of a source with slow expressions, or with expressions that cannot be checked. */
export function slowLines(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const problem = problemOf(node, name);
    if (problem !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${name}:${line + 1}: ${problem}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function problemOf(node: ts.Node, name: string): string | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return slowness(node.text.slice(1, end), node.text.slice(end + 1));
  }
  const isConstructed = ts.isNewExpression(node) || ts.isCallExpression(node);
  if (!isConstructed || node.expression.getText() !== 'RegExp' || name in COMPOSED)
    return undefined;
  const [pattern] = node.arguments ?? [];
  if (pattern && ts.isStringLiteralLike(pattern)) return slowness(pattern.text);
  return 'this expression cannot be checked: use a literal, or list the file in COMPOSED';
}

/** Slow patterns in a JSON Schema, or in a document of schemas. */
export function slowSchemas(schema: unknown, at = '#'): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'pattern' || typeof value !== 'string') return slowSchemas(value, `${at}/${key}`);
    const problem = slowness(value, 'u');
    return problem === undefined ? [] : [`${at}: ${problem}`];
  });
}

function sources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js|mjs)$/.test(entry.name))
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

function main(): void {
  const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
  const found = [
    ...FOLDERS.flatMap(sources).flatMap((name) => slowLines(name, read(name))),
    ...slowSchemas(JSON.parse(read(DOCUMENT))).map((problem) => `${DOCUMENT}${problem}`),
  ];
  for (const problem of found) console.error(problem);
  if (found.length > 0) process.exitCode = 1;
}

if (require.main === module) main();
