import path from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './sources';

/**
 * Returns what a file imports, types included: packages as written, own files by their path from
 * the root of the project, without extension.
 */
export function importsOf(file: SourceFile): readonly string[] {
  const { importedFiles } = ts.preProcessFile(file.text, true, true);
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file.path), fileName) : fileName,
  );
}
