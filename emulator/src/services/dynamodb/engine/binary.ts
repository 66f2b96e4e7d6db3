import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { UserError } from '../../../errors/user-error';

/** The release of the engine for which the tests of this emulator pass, as a Rust crate. */
export const ENGINE_CRATE = 'dynoxide-rs@3.2.0';

/**
 * Returns the path of the engine's program: environment variable DYNAMODB_ENGINE, else the one that
 * npm installed for this platform, else `dynoxide` of the PATH. Throws UserError when there is
 * none.
 */
export function engineBinary(
  env: NodeJS.ProcessEnv = process.env,
  platform = `${process.platform}-${process.arch}`,
): string {
  const { DYNAMODB_ENGINE: named } = env;
  if (named !== undefined && named !== '') {
    if (isProgram(named)) return named;
    throw new UserError(`DYNAMODB_ENGINE: ${named} is not an executable file`);
  }
  const found = packaged(platform) ?? onPath(env, platform.startsWith('win32'));
  if (found !== undefined) return found;
  throw new UserError(
    `no DynamoDB engine for ${platform} comes with npm. Either install one (Rust: ` +
      `cargo install ${ENGINE_CRATE} --locked), or start another DynamoDB, such as ` +
      'DynamoDB Local, and set DYNAMODB_ENDPOINT to its URL',
  );
}

function packaged(platform: string): string | undefined {
  try {
    return require.resolve(`@dynoxide/${platform}/dynoxide`);
  } catch {
    return undefined;
  }
}

function onPath(env: NodeJS.ProcessEnv, isWindows: boolean): string | undefined {
  const name = isWindows ? 'dynoxide.exe' : 'dynoxide';
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
