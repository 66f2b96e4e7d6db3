import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createDocument, SCHEMAS } from '../../openapi/document';
import { EXTENSIONS, type JsonSchema } from '../../openapi/json-schema';
import { ADMINISTRATION_PATHS } from '../../openapi/operations/administration';
import { STORAGE_PATHS } from '../../openapi/operations/storage';
import { ADMIN_METHODS, adminResourceOf } from '../../service/administration/routes';
import { METHODS, OPERATION_IDS, resourceOf } from '../../service/routes/routes';
import { createValidator } from './validator';

const ROOT = path.join(__dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const document = createDocument(version);
const validatorOf = createValidator(Date.parse('2026-11-20T00:00:00Z'));

test('dashboard/public/openapi.json is up to date; if not, run `npm run openapi`', () => {
  const served = readFileSync(path.join(ROOT, 'dashboard/public/openapi.json'), 'utf8');
  // Not toEqual, whose message would have a hundred kilobytes.
  expect(served === `${JSON.stringify(document, undefined, 2)}\n`).toBe(true);
});

const described = [
  ...Object.entries(STORAGE_PATHS).map(([kind, each]) => ({
    kind,
    path: each.path,
    routed: resourceOf(filled(each.path))?.kind,
    methods: METHODS[kind as keyof typeof METHODS],
  })),
  ...Object.entries(ADMINISTRATION_PATHS).map(([kind, each]) => ({
    kind,
    path: each.path,
    routed: adminResourceOf(filled(each.path))?.kind,
    methods: ADMIN_METHODS[kind as keyof typeof ADMIN_METHODS],
  })),
];

function filled(template: string): string {
  return template.replace('{id}', '0'.repeat(12)).replace(/\{\w+\}/g, 'name');
}

test('the document describes every route of the service, and no other', () => {
  expect(described.map(({ kind }) => kind).sort()).toEqual(
    [...Object.keys(METHODS), ...Object.keys(ADMIN_METHODS)].sort(),
  );
  expect(Object.keys(document.paths).sort()).toEqual(described.map(({ path }) => path).sort());
});

test.each(described)('$path has the route and the methods of the service', (each) => {
  expect(each.routed).toBe(each.kind);
  const { parameters: _, ...operations } = document.paths[each.path] as Record<string, object>;
  expect(Object.keys(operations).sort()).toEqual(
    each.methods.map((method) => method.toLowerCase()).sort(),
  );
});

test('metrics have the operation ids of the document', () => {
  for (const [kind, ids] of Object.entries(OPERATION_IDS)) {
    const { path: at } = STORAGE_PATHS[kind as keyof typeof STORAGE_PATHS];
    const operations = document.paths[at] as Record<string, { operationId: string }>;
    for (const [method, id] of Object.entries(ids)) {
      expect(operations[method.toLowerCase()]?.operationId).toBe(id);
    }
  }
});

/** Every example with the schema next to it, at any depth. */
function examples(node: unknown): { schema: JsonSchema; value: unknown }[] {
  if (typeof node !== 'object' || node === null) return [];
  const { schema, example, ...rest } = node as { schema?: JsonSchema; example?: unknown };
  const own = schema && example !== undefined ? [{ schema, value: example }] : [];
  return [...own, ...Object.values(rest).flatMap(examples)];
}

test('every example is valid under its schema', () => {
  const found = examples(document);
  expect(found.length).toBeGreaterThan(20);
  for (const { schema, value } of found) {
    const validate = validatorOf(schema);
    expect([value, validate(value), validate.errors]).toEqual([value, true, null]);
  }
});

test.each(Object.entries(SCHEMAS))('%s accepts its examples', (_name, schema) => {
  const validate = validatorOf(schema);
  for (const value of schema.examples ?? [])
    expect([value, validate(value)]).toEqual([value, true]);
});

test('the document explains every extension that it uses', () => {
  const used = new Set(JSON.stringify(document).match(/(?<=")x-[a-z-]+(?=":)/g));
  const headers = ['x-object-version', 'x-object-cursor', 'x-object-size', 'x-object-expires-at'];
  expect([...used].filter((name) => !headers.includes(name)).sort()).toEqual(
    Object.keys(EXTENSIONS).sort(),
  );
});
