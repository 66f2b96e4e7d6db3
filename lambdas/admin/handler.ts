/** The admin function: administration of API keys. */
import { HttpTables } from '../shared/dynamodb/tables/http-tables';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../shared/env';
import { withMetrics } from '../shared/http/app';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { audit, keys, openStores, rates } from '../shared/stores';
import { systemClock, systemIds } from '../shared/system';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createVerify } from './access-token';
import { createAdmin } from './app';
import { adminConfig } from './config';

const meter = createMeter();
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
  ...openStores({ env: process.env, dynamo: new HttpTables() }, { audit, keys, rates }),
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
  { log, meter },
);
