/** The site function: serves the dashboard's files. */
import path from 'node:path';
import { ENV, type EnvName, parseTexts, requireEnv } from '../shared/env';
import { createHandler, parseResponseMode } from '../shared/http/carrier';
import { originsOf } from '../shared/http/origins';
import { createMeter } from '../shared/telemetry/emf-meter';
import { log } from '../shared/telemetry/log';
import { createSite } from './app';
import { readSite } from './files';

const site = createSite({
  files: readSite(path.join(__dirname, 'public')),
  origins: { connectTo: originsIn(ENV.siteConnectsTo), show: originsIn(ENV.siteShows) },
});

export const handler = createHandler(site, parseResponseMode(requireEnv(ENV.responseMode)), {
  log,
  meter: createMeter(),
});

function originsIn(name: EnvName): readonly string[] {
  return originsOf(parseTexts(name, requireEnv(name)));
}
