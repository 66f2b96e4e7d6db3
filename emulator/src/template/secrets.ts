/** Makes up the secrets of a stack, as Secrets Manager does, and resolves references to them. */
import { randomInt } from 'node:crypto';
import { UserError } from '../errors/user-error';
import { isRecord } from '../values/json';

const SECRET = 'AWS::SecretsManager::Secret';

/** The whole text of the current version: the form that the CDK writes. */
const REFERENCE =
  /^\{\{resolve:secretsmanager:(arn:aws:secretsmanager:[^:]*:[^:]*:secret:[^:]+):SecretString:::\}\}$/;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface DeclaredSecret {
  readonly logicalId: string;
  readonly arn: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * The secrets differ after each start. Nothing else keeps them: the resource that shows one and the
 * resource that checks it get it from the same resolution of the template.
 */
export class Secrets {
  private readonly values = new Map<string, string>();

  /** Returns undefined when the reference names no secret of the stack. Throws UserError. */
  resolve(reference: string, declared: readonly DeclaredSecret[]): string | undefined {
    const [, arn] = REFERENCE.exec(reference) ?? [];
    const secret = declared.find((one) => one.arn === arn);
    if (secret === undefined) return undefined;
    const known = this.values.get(secret.arn);
    if (known !== undefined) return known;
    const value = generate(secret);
    this.values.set(secret.arn, value);
    return value;
  }
}

function generate({ logicalId, properties }: DeclaredSecret): string {
  const { GenerateSecretString: how } = properties;
  const where = `${logicalId} (${SECRET})`;
  if (!isRecord(how)) throw new UserError(`${where}: GenerateSecretString is missing`);
  if (how.ExcludePunctuation !== true) {
    throw new UserError(`${where}: GenerateSecretString.ExcludePunctuation must be true`);
  }
  const length = Number(how.PasswordLength ?? 32);
  return Array.from({ length }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]).join('');
}
