/** Which keys can be files of a folder, and which files can be keys. */
import { fileNameProblem } from '../shared/file-names';

/** Folder of incomplete files. It is never synced. */
export const WORK_FOLDER = '.stowage-sync';

/** Bytes of a name within a folder, on every file system in use. */
const SEGMENT_BYTES = 255;
/** docs/api.md, "Names". */
const KEY_BYTES = 900;

/** Returns why no file below a folder can have this name, which is a key without its prefix. */
export function fileProblem(
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const problem = fileNameProblem(name, platform);
  if (problem !== undefined) return problem;
  const segments = name.split('/');
  if (segments[0]?.toLowerCase() === WORK_FOLDER) return `${WORK_FOLDER} is the command's own`;
  const isLong = segments.some((segment) => Buffer.byteLength(segment) > SEGMENT_BYTES);
  return isLong ? `a part of the name is longer than ${SEGMENT_BYTES} bytes` : undefined;
}

/** Returns why the file with this name below a folder cannot be an object. */
export function keyProblem(name: string, prefix: string): string | undefined {
  if (!name.isWellFormed()) return 'the name is not UTF-8';
  if ([...name].some((character) => character < ' ' || character === '\x7f')) {
    return 'a key cannot contain control characters';
  }
  const bytes = Buffer.byteLength(prefix + name);
  return bytes > KEY_BYTES ? `a key has at most ${KEY_BYTES} bytes, not ${bytes}` : undefined;
}

/** Returns the folders of a name, the outermost first: `a` and `a/b` for `a/b/c`. */
export function foldersOf(name: string): string[] {
  const folders: string[] = [];
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
    folders.push(name.slice(0, at));
  }
  return folders;
}
