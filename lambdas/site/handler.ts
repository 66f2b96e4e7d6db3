/** The site function: serves the dashboard's files. */
import path from 'node:path';
import { originsOf } from '../../service/http/origins';
import { readSite } from '../../service/site/files';
import { createSite } from '../../service/site/site';
import { ENV, type EnvName, parseTexts, requireEnv } from '../runtime/env';
import { createHandler, parseResponseMode } from '../runtime/http-handler';
import { createMeter } from '../runtime/telemetry/emf-meter';
import { log } from '../runtime/telemetry/log';
import { belowStage } from './app';

const site = createSite({
  files: readSite(path.join(__dirname, 'public')),
  origins: { connectTo: originsIn(ENV.siteConnectsTo), show: originsIn(ENV.siteShows) },
});

export const handler = createHandler(
  belowStage(site),
  parseResponseMode(requireEnv(ENV.responseMode)),
  {
    log,
    meter: createMeter(),
  },
);

function originsIn(name: EnvName): readonly string[] {
  return originsOf(parseTexts(name, requireEnv(name)));
}
