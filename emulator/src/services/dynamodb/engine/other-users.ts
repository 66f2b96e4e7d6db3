/**
 * Who else can reach the engine: it checks no signatures, and a loopback address is open to every
 * user of the machine.
 */
import { readFileSync } from 'node:fs';

/** useradd(8) gives people ids from 1000 on; 65534 is nobody. */
const FIRST_PERSON = 1000;
const NOBODY = 65_534;

/** The people with an account in `passwd` (passwd(5)) who may log in, except the user `own`. */
export function otherUsers(passwd: string, own: number): readonly string[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , id = '', , , , shell = ''] = line.split(':');
    const uid = Number(id);
    const isPerson = uid >= FIRST_PERSON && uid < NOBODY && !/\/(?:nologin|false)$/.test(shell);
    return isPerson && uid !== own ? [name] : [];
  });
}

/** Returns undefined when nobody else has an account here, or when there is no such list. */
export function noteOnOtherUsers(): string | undefined {
  let users: readonly string[];
  try {
    users = otherUsers(readFileSync('/etc/passwd', 'utf8'), process.getuid?.() ?? 0);
  } catch {
    return undefined;
  }
  if (users.length === 0) return undefined;
  const named = users.length > 3 ? `${users.length} other users` : users.join(', ');
  return `${named} of this machine can read and write all local tables, because the DynamoDB engine checks no signatures: keep nothing here that they must not see`;
}
