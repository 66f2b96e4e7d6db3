import type { KeysDeps } from '../../core/access/keys';
import type { AuditLog, Rates } from '../../core/access/ports';
import type { RateTiers } from '../../core/limits';
import type { HttpRequest } from '../shared/http/request';
import type { HttpResponse } from '../shared/http/response';
import type { Administrator, Verify } from './access-token';
import type { AdminKind, AdminTarget } from './routes';

export interface AdminDeps extends KeysDeps {
  readonly audit: AuditLog;
  readonly verify: Verify;
  readonly rates: Pick<Rates, 'markChanged' | 'uses' | 'usage'>;
  readonly tiers: RateTiers;
  /** What a page must know before anybody has signed in, as it is answered. */
  readonly config: Readonly<Record<string, unknown>>;
}

export type AdminOperation<Kind extends AdminKind> = (
  request: HttpRequest,
  target: Extract<AdminTarget, { kind: Kind }>,
  actor: Administrator,
) => Promise<HttpResponse>;
