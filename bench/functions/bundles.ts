/** Bundles for comparison, built with the options of the functions (scripts/bundles.mjs). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
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

/** Returns each function, as `npm run build` has built it. */
export function functionBundles(root: string): readonly FunctionBundle[] {
  const metafile = path.join(root, 'dist/lambdas-meta.json');
  const outputs: Readonly<Record<string, Output>> = JSON.parse(
    readFileSync(metafile, 'utf8'),
  ).outputs;
  return Object.entries(outputs).flatMap(([file, output]) => {
    if (output.entryPoint === undefined) return [];
    const name = path.basename(path.dirname(file));
    const packages = packagesOf(output).slice(0, 8);
    return [{ name, file: path.join(root, file), bytes: output.bytes, packages }];
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
