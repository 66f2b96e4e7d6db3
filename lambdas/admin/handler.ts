/** The composition root of the admin function: environment in, handler out. No logic. */
import { createDynamoClient } from '../adapters/clients';
import { DynamoAuditLog } from '../adapters/dynamo-audit-log';
import { DynamoKeyStore } from '../adapters/dynamo-key-store';
import { DynamoRates } from '../adapters/dynamo-rates';
import { systemClock, systemIds } from '../adapters/system';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../env';
import { createHandler, parseResponseMode } from '../http/carrier';
import { log } from '../http/log';
import { measured } from '../http/measured';
import { createMeter } from '../meter';
import { createVerify } from './access-token';
import { createAdmin } from './app';
import { adminConfig } from './config';

const dynamo = createDynamoClient();
const meter = createMeter(optionalEnv(ENV.metricsNamespace), optionalEnv(ENV.metrics));
const tables = { apiKeys: requireEnv(ENV.apiKeysTable), audit: requireEnv(ENV.auditTable) };
const tiers = parseRateTiers(requireEnv(ENV.rateTiers));
const issuer = {
  issuer: requireEnv(ENV.oidcIssuer),
  clientId: requireEnv(ENV.oidcClientId),
  jwksUri: optionalEnv(ENV.oidcJwksUri),
  audience: optionalEnv(ENV.oidcAudience),
  claim: requireEnv(ENV.adminClaim),
  value: requireEnv(ENV.adminClaimValue),
};

const app = createAdmin({
  keys: new DynamoKeyStore(dynamo, tables),
  audit: new DynamoAuditLog(dynamo, tables.audit),
  rates: new DynamoRates(dynamo, requireEnv(ENV.ratesTable)),
  verify: createVerify(issuer, { clock: systemClock, log }),
  tiers,
  config: adminConfig(issuer, {
    scopes: requireEnv(ENV.oidcScopes),
    signOutUrl: optionalEnv(ENV.signOutUrl),
    syncUrl: requireEnv(ENV.syncUrl),
    tiers,
    version: requireEnv(ENV.serviceVersion),
  }),
  clock: systemClock,
  ids: systemIds,
  log,
});

export const handler = createHandler(
  measured(meter, app, () => 'administration'),
  parseResponseMode(requireEnv(ENV.responseMode)),
);
