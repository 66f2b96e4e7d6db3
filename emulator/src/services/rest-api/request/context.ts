/** Builds `requestContext` of events, which is `$context` of gateway responses and access logs. */
import type { RestApiModel } from '../model/model';

export interface Identity {
  readonly sourceIp: string;
  readonly userAgent: string | null;
}

export interface RequestStart {
  readonly requestId: string;
  readonly extendedRequestId: string;
  readonly httpMethod: string;
  /** With the stage. */
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly identity: Identity;
}

export type RequestContext = ReturnType<typeof requestContext>;

/** The context before routing: without resource and authorizer. */
export function requestContext(model: RestApiModel, start: RequestStart) {
  const { identity } = start;
  return {
    accountId: model.accountId,
    apiId: model.apiId,
    deploymentId: model.deploymentId,
    domainName: domainName(model),
    domainPrefix: model.apiId,
    extendedRequestId: start.extendedRequestId,
    httpMethod: start.httpMethod,
    identity: {
      accessKey: null,
      accountId: null,
      caller: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: identity.sourceIp,
      user: null,
      userAgent: identity.userAgent,
      userArn: null,
    },
    path: start.path,
    protocol: 'HTTP/1.1',
    requestId: start.requestId,
    requestTime: commonLogTime(start.time),
    requestTimeEpoch: start.time,
    stage: model.stage,
  };
}

/** The Host header that functions receive. */
export function domainName(model: { readonly apiId: string; readonly region: string }): string {
  return `${model.apiId}.execute-api.${model.region}.amazonaws.com`;
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/** Common Log Format: `10/Jul/2026:19:19:04 +0000`. */
export function commonLogTime(time: number): string {
  const iso = new Date(time).toISOString();
  const month = 3 * (Number(iso.slice(5, 7)) - 1);
  return `${iso.slice(8, 10)}/${MONTHS.slice(month, month + 3)}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}
