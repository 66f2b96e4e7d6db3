/**
 * The users of the issuer, who share one password. The developer is in every group. Any other name,
 * such as `ada@localhost`, is a user without groups, as the users of an app are.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets';

export const DEVELOPER = 'dev@localhost';

const OTHER = /^[a-z0-9]{1,32}@localhost$/;

export class Accounts {
  private readonly names: Map<string, string>;

  constructor(private readonly secrets: Secrets) {
    this.names = new Map([[secrets.userId, DEVELOPER]]);
  }

  /** The id of the user whose name and password the form holds; undefined: they are wrong. */
  signIn(form: URLSearchParams): string | undefined {
    const isRight = timingSafeEqual(
      digest(form.get('password') ?? ''),
      digest(this.secrets.password),
    );
    const name = form.get('username') ?? '';
    if (!isRight) return undefined;
    if (name === DEVELOPER) return this.secrets.userId;
    if (!OTHER.test(name)) return undefined;
    const id = this.idOf(name);
    this.names.set(id, name);
    return id;
  }

  /** undefined: nobody of this id has signed in since the start. */
  nameOf(id: string): string | undefined {
    return this.names.get(id);
  }

  /** The same after every start, in the form of Cognito's. */
  private idOf(name: string): string {
    const hash = createHmac('sha256', this.secrets.cookieKey).update(name).digest('hex');
    return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
