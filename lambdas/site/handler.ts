/** The composition root of site: environment in, handler out. No logic. */
import path from 'node:path';
import { ENV, parseTexts, requireEnv } from '../env';
import { createHandler, parseResponseMode } from '../http/carrier';
import { originsOf } from '../http/origins';
import { createSite } from './app';
import { readSite } from './files';

const app = createSite({
  files: readSite(path.join(__dirname, 'public')),
  connectTo: originsOf(parseTexts(ENV.siteConnectsTo, requireEnv(ENV.siteConnectsTo))),
});

export const handler = createHandler(app, parseResponseMode(requireEnv(ENV.responseMode)));
