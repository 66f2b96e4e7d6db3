// Which changes the compiler accepts. One that it refuses needs no test, and is not drawn.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { changed } from './draw.mjs';

/**
 * The changes whose file still compiles. Many are tried at the same time, at most one in a file;
 * one that is refused there is tried alone, because it may suffer from a change in another file.
 */
export function thoseThatCompile(changes, sources) {
  const compiler = compilerOf(sources);
  const refused = new Set();
  let left = changes;
  while (left.length > 0) {
    const round = new Map(left.map((change) => [change.file, change]));
    const accepted = compiler([...round.values()]);
    for (const change of round.values()) {
      if (!accepted.has(change) && !compiler([change]).has(change)) refused.add(change);
    }
    left = left.filter((change) => round.get(change.file) !== change);
  }
  return changes.filter((change) => !refused.has(change));
}

function compilerOf(sources) {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    path.resolve(),
  );
  const texts = new Map();
  const versions = new Map();
  const roots = sources.map((file) => path.resolve(file));
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    // What a change leaves without use or out of reach is still a change that runs.
    getCompilationSettings: () => ({
      ...{ ...options, incremental: false, tsBuildInfoFile: undefined },
      ...{ noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true },
    }),
    getScriptFileNames: () => roots,
    getScriptVersion: (file) => String(versions.get(file) ?? 0),
    getScriptSnapshot: (file) => {
      const text = texts.get(file) ?? ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => path.resolve(),
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  });
  const put = (file, text) => {
    texts.set(file, text);
    versions.set(file, (versions.get(file) ?? 0) + 1);
  };
  return (changes) => {
    for (const change of changes) {
      const file = path.resolve(change.file);
      put(file, changed(readFileSync(file, 'utf8'), change));
    }
    const accepted = changes.filter(({ file }) => {
      const name = path.resolve(file);
      const syntax = service.getSyntacticDiagnostics(name);
      return syntax.length === 0 && service.getSemanticDiagnostics(name).length === 0;
    });
    for (const { file } of changes) put(path.resolve(file), undefined);
    return new Set(accepted);
  };
}
