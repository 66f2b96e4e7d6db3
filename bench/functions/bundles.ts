/** Bundles for comparison, built with the options of the functions (scripts/bundles.mjs). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { FUNCTION_BUNDLE } from '../../scripts/bundles.mjs';

/** An output of esbuild's metafile. */
interface Output {
  readonly entryPoint?: string;
  readonly bytes: number;
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
}

export interface FunctionBundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  /** The bundle of the SDK clients and commands that the function uses, without the function. */
  readonly sdkFile: string;
  readonly sdkBytes: number;
  /** The largest packages, each with its bytes in the bundle. */
  readonly packages: readonly (readonly [string, number])[];
}

/** Bundles a load client. Returns the path of the bundle. */
export async function bundleClient(root: string, name: string): Promise<string> {
  const outfile = path.join(root, 'dist/bench', `${name}.js`);
  await build({
    ...FUNCTION_BUNDLE,
    entryPoints: [path.join(root, 'bench', `${name}.ts`)],
    outfile,
  });
  return outfile;
}

/**
 * Returns each function that uses the SDK, as `npm run build` has built it, and builds a bundle of
 * its SDK clients alone.
 */
export async function functionBundles(root: string): Promise<readonly FunctionBundle[]> {
  const metafile = path.join(root, 'dist/lambdas-meta.json');
  const outputs: Readonly<Record<string, Output>> = JSON.parse(
    readFileSync(metafile, 'utf8'),
  ).outputs;
  const found: FunctionBundle[] = [];
  for (const [file, output] of Object.entries(outputs)) {
    if (output.entryPoint === undefined) continue;
    const name = path.basename(path.dirname(file));
    const contents = sdkEntry(root, Object.keys(output.inputs));
    if (contents === undefined) continue;
    const sdkFile = path.join(root, 'dist/bench', `sdk-of-${name}.js`);
    const { metafile: sdk } = await build({
      ...FUNCTION_BUNDLE,
      stdin: { contents, resolveDir: root },
      outfile: sdkFile,
      metafile: true,
    });
    const sdkBytes = Object.values(sdk?.outputs ?? {})[0]?.bytes ?? 0;
    const { bytes } = output;
    const packages = packagesOf(output).slice(0, 8);
    found.push({ name, file: path.join(root, file), bytes, sdkFile, sdkBytes, packages });
  }
  return found;
}

/**
 * Returns the source of a module that imports what the function's own files import from the SDK,
 * and creates the clients. undefined: the function uses no SDK.
 */
function sdkEntry(root: string, inputs: readonly string[]): string | undefined {
  const imports = new Map<string, Set<string>>();
  for (const input of inputs.filter((file) => !file.startsWith('node_modules/'))) {
    for (const { from, name } of sdkImports(path.join(root, input))) {
      // A file shared by functions imports more than each of them uses.
      const part = name.endsWith('Command') ? `/commands/${name}.js` : '/';
      const isUsed = inputs.some(
        (file) => file.startsWith(`node_modules/${from}/`) && file.includes(part),
      );
      if (isUsed) imports.set(from, (imports.get(from) ?? new Set()).add(name));
    }
  }
  if (imports.size === 0) return undefined;
  const lines = [...imports].map(([from, names]) => `{ ${[...names].join(', ')} } from '${from}';`);
  const clients = [...imports.values()].flatMap((names) =>
    [...names].filter((name) => name.endsWith('Client')).map((name) => `new ${name}({})`),
  );
  return [
    ...lines.flatMap((line) => [`import ${line}`, `export ${line}`]),
    `export const clients = [${clients.join(', ')}];`,
  ].join('\n');
}

/** Returns the named imports from `@aws-sdk/*`, without types. */
function sdkImports(file: string): { readonly from: string; readonly name: string }[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) {
      return [];
    }
    const { text: from } = statement.moduleSpecifier;
    const bindings = statement.importClause?.namedBindings;
    const isType = statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    if (!from.startsWith('@aws-sdk/') || isType || !bindings || !ts.isNamedImports(bindings)) {
      return [];
    }
    return bindings.elements
      .filter((element) => !element.isTypeOnly)
      .map((element) => ({ from, name: (element.propertyName ?? element.name).text }));
  });
}

/** Bytes by package, the largest first. The service's own code counts as one package. */
function packagesOf({ inputs }: Output): (readonly [string, number])[] {
  const bytes = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    const [, name = 'stowage'] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
  }
  return [...bytes].sort(([, a], [, b]) => b - a);
}
