/** The site function: serves the dashboard's files. */
import path from 'node:path';
import { ENV, parseTexts, requireEnv } from '../shared/env';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { originsOf } from '../shared/http/origins';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createSite } from './app';
import { readSite } from './files';

const site = createSite({
  files: readSite(path.join(__dirname, 'public')),
  connectTo: originsOf(parseTexts(ENV.siteConnectsTo, requireEnv(ENV.siteConnectsTo))),
});

export const handler = createHandler(site, parseResponseMode(requireEnv(ENV.responseMode)), {
  log,
  meter: createMeter(),
});
