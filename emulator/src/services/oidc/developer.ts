import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets';

/** The only user of the emulator. */
export const DEVELOPER = 'dev@localhost';

export function isDeveloper(form: URLSearchParams, { password }: Secrets): boolean {
  const matches = timingSafeEqual(digest(form.get('password') ?? ''), digest(password));
  return matches && form.get('username') === DEVELOPER;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
