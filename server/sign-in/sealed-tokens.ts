/** Tokens that only the holder of one secret makes and reads: JWT with HS256 (RFC 7519). */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { isJsonObject, parseJson } from '../../core/http/json';
import type { Clock } from '../../core/system';

/** The purpose of a token. A token of one purpose is refused for every other. */
export type TokenUse = 'session' | 'code' | 'access' | 'id';

export type Claims = Readonly<Record<string, unknown>>;

const HEADER = encoded({ alg: 'HS256', typ: 'JWT' });

export class TokenSealer {
  constructor(
    private readonly secret: string,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Returns a token that is valid for `seconds`. */
  seal(use: TokenUse, claims: Claims, seconds: number): string {
    const iat = Math.floor(this.clock.now() / 1000);
    const body = encoded({ ...claims, use, iat, exp: iat + seconds, jti: randomUUID() });
    const signed = `${HEADER}.${body}`;
    return `${signed}.${this.signatureOf(signed).toString('base64url')}`;
  }

  /** Returns the claims of a token, or undefined when it is forged, expired, or of another use. */
  open(use: TokenUse, token: string | undefined): Claims | undefined {
    const [header, body, signature, ...rest] = (token ?? '').split('.');
    if (header !== HEADER || !body || !signature || rest.length > 0) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = this.signatureOf(`${header}.${body}`);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    const claims = parseJson(Buffer.from(body, 'base64url').toString());
    if (!isJsonObject(claims) || claims.use !== use) return undefined;
    return Number(claims.exp) * 1000 > this.clock.now() ? claims : undefined;
  }

  private signatureOf(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
