/**
 * Objects of the service, with the rights of this function's role and without an API key: "Access from your own functions" in
 * docs/construct.md of stowage.
 */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface ListedObject {
  readonly key: string;
}

export class Storage {
  readonly #lambda = new LambdaClient();

  constructor(
    /** What `accessArn` answered for this function. */
    private readonly functionArn: string,
    private readonly bucket: string,
  ) {}

  /** undefined: there is no such object. */
  async get(key: string): Promise<Buffer | undefined> {
    const answer = await this.#request('GET', this.#pathOf(key));
    if (answer.status === 404) return undefined;
    // Content above 4 MiB is fetched from S3.
    if (answer.status === 307) return download(answer.headers.location ?? '');
    return expectOk(answer, `GET ${key}`).body;
  }

  async put(key: string, content: Buffer, contentType: string): Promise<void> {
    const headers = { 'Content-Type': contentType };
    const request = { headers, body: content.toString('base64'), isBase64: true };
    expectOk(await this.#request('PUT', this.#pathOf(key), request), `PUT ${key}`);
  }

  /** Does nothing where there is no such object. */
  async delete(key: string): Promise<void> {
    const answer = await this.#request('DELETE', this.#pathOf(key));
    if (answer.status !== 404) expectOk(answer, `DELETE ${key}`);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    let page: { objects: readonly ListedObject[]; next_page_token?: string };
    let token: Readonly<Record<string, string>> = {};
    do {
      const query = { prefix, limit: '1000', ...token };
      const answer = await this.#request('GET', this.#pathOf(), { query });
      page = JSON.parse(expectOk(answer, `list ${prefix}`).body.toString());
      yield* page.objects;
      token = { page_token: page.next_page_token ?? '' };
    } while (page.next_page_token !== undefined);
  }

  #pathOf(...key: string[]): string {
    return `/api/v2/storage/objects/${[this.bucket, ...key].join('/').split('/').map(encodeURIComponent).join('/')}`;
  }

  async #request(method: string, path: string, more: object = {}): Promise<Answer> {
    const payload = JSON.stringify({ method, path, ...more });
    const command = new InvokeCommand({ FunctionName: this.functionArn, Payload: payload });
    const { Payload: answered, FunctionError: failed } = await this.#lambda.send(command);
    const text = Buffer.from(answered ?? []).toString();
    if (failed !== undefined) throw new Error(`${method} ${path}: ${text}`);
    const { status, headers, body = '', isBase64 } = JSON.parse(text);
    const names = Object.entries<string>(headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    return {
      status,
      headers: Object.fromEntries(names),
      body: Buffer.from(body, isBase64 ? 'base64' : 'utf8'),
    };
  }
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`S3 answered ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function expectOk(answer: Answer, what: string): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`${what}: ${answer.status} ${answer.body}`);
}
