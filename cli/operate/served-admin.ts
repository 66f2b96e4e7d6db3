/** The administration of a service that `stowage serve` runs on this machine. */
import { userInfo } from 'node:os';
import { isRecord } from '../../client/resources';
import { accessToken, SIGN_IN_PATHS } from '../../server/sign-in/local-issuer';
import { secretOf } from '../serve/published-files';
import { EXIT, UserError } from '../shared/errors';
import { localUrl } from '../shared/local-service';
import { LOCAL_DATA } from '../shared/service';

const clock = { now: Date.now };

export class ServedAdmin {
  private constructor(
    private readonly url: string,
    private readonly secret: string,
  ) {}

  /**
   * Returns the administration of the folder, or undefined when `stowage serve` has not served it.
   * Throws UserError when it does not run.
   */
  static of(folder: string = LOCAL_DATA): ServedAdmin | undefined {
    const secret = secretOf(folder);
    return secret === undefined ? undefined : new ServedAdmin(localUrl(folder), secret);
  }

  /** Returns an access token that is valid for an hour. */
  token(): string {
    return accessToken({ secret: this.secret, clock }, operator());
  }

  /** Returns a link that signs a browser in to the dashboard. */
  async link(): Promise<string> {
    return String((await this.post(SIGN_IN_PATHS.links)).link);
  }

  /** Returns the JSON of the response. Throws UserError for a refusal. */
  async post(path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.token()}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new UserError(`no response from ${this.url}: ${error.message}`, EXIT.temporary);
    });
    const answer: unknown = await response.json();
    if (!isRecord(answer)) throw new UserError(`${this.url} is not a stowage service`);
    if (response.ok) return answer;
    const { message } = answer.error as { readonly message: string };
    throw new UserError(message, response.status === 404 ? EXIT.notFound : EXIT.failed);
  }
}

/** The name of this user, for the audit. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}
