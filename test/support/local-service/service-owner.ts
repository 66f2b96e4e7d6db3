/** Starts and stops the shared services, in the process of Jest. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServedAdmin } from '../../../cli/operate/served-admin';
import { signIn } from '../../../cli/operate/sign-in';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { TemporaryFolder } from '../temporary-folder';
import type { Kind, SharedService } from './shared-service';
import { newDataFolder, type Running, startLocalService, startServed } from './start-local-service';

interface Started {
  readonly data: TemporaryFolder;
  readonly service: Promise<Running>;
}

class ServiceOwner {
  readonly #server = createServer((request, response) =>
    this.#answer(request.url === '/emulated' ? 'emulated' : 'served', response),
  ).unref();
  readonly #started = new Map<Kind, Started>();

  /** Returns the address at which test files ask for the service. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Stops the services. Throws when one has crashed, or cannot stop as after Ctrl-C. */
  async close(): Promise<void> {
    this.#server.close();
    for (const { data, service } of this.#started.values()) {
      const running = await service.catch(() => undefined);
      const status = await running?.interrupt();
      data.remove();
      if (running && status !== 0) throw new Error(`a shared service ended with status ${status}`);
    }
  }

  #answer(kind: Kind, response: ServerResponse): void {
    // A kept connection may end while the next test file uses it.
    response.setHeader('connection', 'close');
    this.#forCaller(kind).then(
      (service) => response.end(JSON.stringify(service)),
      (error) => response.writeHead(500).end(`the shared service failed: ${error.stack}`),
    );
  }

  async #forCaller(kind: Kind): Promise<SharedService> {
    const started = this.#started.get(kind) ?? start(kind);
    this.#started.set(kind, started);
    const { baseUrl } = await started.service;
    const { folder } = started.data;
    const token = ServedAdmin.of(folder)?.token() ?? (await signIn(folder));
    return { baseUrl, apiKey: await newKey(baseUrl, token), data: folder };
  }
}

function start(kind: Kind): Started {
  const data = newDataFolder();
  const run = kind === 'served' ? startServed : startLocalService;
  return { data, service: run(data.folder) };
}

/** Creates a key for everything, so that no test file meets the rate limits of another. */
async function newKey(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'a test file', permissions: ALL_PERMISSIONS }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`no API key was created: ${response.status} ${text}`);
  return JSON.parse(text).api_key;
}

export const serviceOwner = new ServiceOwner();
