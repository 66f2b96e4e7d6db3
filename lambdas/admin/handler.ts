/** The admin function: administration of API keys. */
import { createVerify } from '../../adapters/oidc/access-token';
import { systemClock, systemIds } from '../../adapters/system';
import { createAdmin } from '../../service/administration/app';
import { adminConfig } from '../../service/administration/config';
import { createDynamoClient } from '../runtime/aws-clients';
import { ENV, optionalEnv, parseRateTiers, requireEnv } from '../runtime/env';
import { createHandler, parseResponseMode } from '../runtime/http-handler';
import { withMetrics } from '../runtime/request-metrics';
import { ofEvents } from '../runtime/rest-event';
import { audit, keys, openStores, rates } from '../runtime/stores';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';

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
  ...openStores({ env: process.env, dynamo: createDynamoClient() }, { audit, keys, rates }),
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
  ofEvents(withMetrics(meter, app, { route: () => 'administration' })),
  parseResponseMode(requireEnv(ENV.responseMode)),
  { log, meter },
);
