/** Runs a synthesized stack on one machine. emulator/README.md lists what is emulated. */
import { resolve } from 'node:path';
import type { Credentials } from '../iam/iam';
import { loadStack } from '../template/assembly';
import { refuseUnsupported } from '../template/check';
import { resolveStack } from '../template/resolve-stack';
import { DataFolder } from './data-folder';
import type { LocalOptions } from './options';
import { type Services, startServices } from './start-services';

export interface LocalRuntime extends Services {
  /** The stack's outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Stops everything and unlocks the data folder. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts every service of the stack. Throws UserError for errors that the user can correct (an
 * unsupported resource, a missing permission, a port that is taken, a data folder in use), after it
 * has stopped what was started.
 */
export async function startLocal(options: LocalOptions): Promise<LocalRuntime> {
  const stack = resolveStack(loadStack(resolve(options.cdkOut), options.stackName));
  refuseUnsupported(stack);
  const folder = DataFolder.open(resolve(options.dataDir));
  const undo: (() => Promise<void>)[] = [async () => folder.close()];
  const stopAll = async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
  };
  try {
    const services = await startServices(stack, { folder, options, undo });
    let stopping: Promise<void> | undefined;
    const runtime: LocalRuntime = {
      ...services,
      outputs: services.stack.outputs,
      stop: () => {
        stopping ??= stopAll();
        return stopping;
      },
    };
    folder.write('endpoints.json', describe(runtime));
    return runtime;
  } catch (error) {
    await stopAll();
    throw error;
  }
}

/** The content of endpoints.json, with which scripts call the services as the developer. */
function describe({ stack, outputs, iam, ...runtime }: LocalRuntime): string {
  const { baseUrl, websocketUrl, apis, endpoints, signIn } = runtime;
  const { region } = stack;
  const credentials: Credentials = iam.root;
  const addresses = { baseUrl, websocketUrl, apis, endpoints, signIn };
  return `${JSON.stringify({ ...addresses, region, outputs, credentials }, null, 2)}\n`;
}
