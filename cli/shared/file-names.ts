/** Decides which keys can be file names. Keys are untrusted: none may lead out of a folder. */
import { isWorkingName } from '../../client/transfer/file-download';

const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

const CONTROL_PROBLEM = 'the name contains a control character';

/** Returns why nothing below a folder can have this name, whose parts are separated by slashes. */
export function fileNameProblem(
  name: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (name === '') return 'the name is empty';
  // In consoles of S3 such an object stands for a folder.
  if (name.endsWith('/')) return 'a file name cannot end with a slash';
  const segments = name.split('/');
  if (segments.includes('')) return 'a part of the name is empty';
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    return 'a part of the name is . or ..';
  }
  if (name.includes('\0')) return CONTROL_PROBLEM;
  if (segments.some(isWorkingName)) return 'downloads use this name for their own files';
  return platform === 'win32' ? windowsProblem(name, segments) : undefined;
}

function windowsProblem(name: string, segments: readonly string[]): string | undefined {
  if (/[<>:"|?*\\]/.test(name)) return 'Windows allows none of < > : " | ? * \\ in a name';
  if (/\p{Cc}/u.test(name)) return CONTROL_PROBLEM;
  if (segments.some((segment) => /[. ]$/.test(segment))) {
    return 'a name on Windows cannot end with a dot or a space';
  }
  if (segments.some((segment) => WINDOWS_DEVICE.test(segment))) {
    return 'Windows has a device of this name';
  }
  return undefined;
}
