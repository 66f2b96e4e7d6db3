import type { Administrator, Verify } from '../../core/access/administrators';
import type { KeysDeps } from '../../core/access/keys';
import type { AuditLog, Rates } from '../../core/access/ports';
import type { RateTiers } from '../../core/limits';
import type { Operation } from '../http/app';
import type { AdminKind, AdminResource } from './routes';

export interface AdminDeps extends KeysDeps {
  readonly audit: AuditLog;
  readonly verify: Verify;
  readonly rates: Pick<Rates, 'markChanged' | 'uses' | 'usage'>;
  readonly tiers: RateTiers;
  /** The response to GET of `config`: adminConfig in config.ts. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** An operation on one kind of target, for an administrator who has signed in. */
export type AdminOperation<Kind extends AdminKind> = Operation<
  AdminResource & { readonly kind: Kind },
  Administrator
>;
