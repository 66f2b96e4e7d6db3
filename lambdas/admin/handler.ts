/** The composition root of the admin function: environment in, handler out. No logic. */
import { createDynamoClient } from '../shared/aws-clients';
import { DynamoAuditLog } from '../shared/dynamodb/audit-log';
import { DynamoKeyStore } from '../shared/dynamodb/key-store';
import { DynamoRates } from '../shared/dynamodb/rates';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../shared/env';
import { createHandler, parseResponseMode } from '../shared/http/response-transport';
import { withMetrics } from '../shared/http/with-metrics';
import { systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
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
  withMetrics(meter, app, () => 'administration'),
  parseResponseMode(requireEnv(ENV.responseMode)),
);
