/** The composition root of site: environment in, handler out. No logic. */
import path from 'node:path';
import { ENV, parseTexts, requireEnv } from '../shared/env';
import { originsOf } from '../shared/http/origins';
import { createHandler, parseResponseMode } from '../shared/http/response-transport';
import { createSite } from './app';
import { readSite } from './files';

const app = createSite({
  files: readSite(path.join(__dirname, 'public')),
  connectTo: originsOf(parseTexts(ENV.siteConnectsTo, requireEnv(ENV.siteConnectsTo))),
});

export const handler = createHandler(app, parseResponseMode(requireEnv(ENV.responseMode)));
