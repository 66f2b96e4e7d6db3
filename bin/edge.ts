import type { EdgeOptions } from '../lib';
import type { Reader } from './reader';

/** The setting `edge` of an environment. */
export function readEdge(settings: Reader): EdgeOptions {
  return {
    domainName: settings.text('domainName'),
    certificateArn: settings.text('certificateArn'),
    requestsPerFiveMinutes: settings.numberOrFalse('requestsPerFiveMinutes'),
    webAclArn: settings.text('webAclArn'),
    originSecretVersion: settings.number('originSecretVersion'),
    acceptNextOriginSecret: settings.flag('acceptNextOriginSecret'),
    directDownloads: settings.flag('directDownloads'),
  };
}
