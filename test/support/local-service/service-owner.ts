/** Starts and stops the shared service, in the process of Jest. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signIn } from '../../../cli/operate/sign-in';
import { ALL_PERMISSIONS } from '../../../core/access/permissions';
import type { TemporaryFolder } from '../temporary-folder';
import type { SharedService } from './shared-service';
import { newDataFolder, type Running, startLocalService } from './start-local-service';

class ServiceOwner {
  readonly #server = createServer((_request, response) => this.#answer(response)).unref();
  #data: TemporaryFolder | undefined;
  #service: Promise<Running> | undefined;

  /** Returns the address at which test files ask for the service. */
  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Stops the service. Throws when it has crashed, or cannot stop as after Ctrl-C. */
  async close(): Promise<void> {
    this.#server.close();
    const service = await this.#service?.catch(() => undefined);
    const status = await service?.interrupt();
    this.#data?.remove();
    if (service && status !== 0) throw new Error(`the shared service ended with status ${status}`);
  }

  #answer(response: ServerResponse): void {
    // A kept connection may end while the next test file uses it.
    response.setHeader('connection', 'close');
    this.#forCaller().then(
      (service) => response.end(JSON.stringify(service)),
      (error) => response.writeHead(500).end(`the shared service failed: ${error.stack}`),
    );
  }

  async #forCaller(): Promise<SharedService> {
    this.#data ??= newDataFolder();
    const { folder } = this.#data;
    this.#service ??= startLocalService(folder);
    const { baseUrl } = await this.#service;
    return { baseUrl, apiKey: await newKey(baseUrl, folder), data: folder };
  }
}

/** Creates a key for everything, so that no test file meets the rate limits of another. */
async function newKey(baseUrl: string, folder: string): Promise<string> {
  const response = await fetch(`${baseUrl}/admin/v1/keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await signIn(folder)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'a test file', permissions: ALL_PERMISSIONS }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`no API key was created: ${response.status} ${text}`);
  return JSON.parse(text).api_key;
}

export const serviceOwner = new ServiceOwner();
