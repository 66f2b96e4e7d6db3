import { UserError } from '../../errors/user-error';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import { optionalText, resourcesOfType, textProperty } from '../../template/resources';
import { isRecord } from '../../values/json';

/** The properties of a user pool that signing in needs. */
export interface UserPool {
  /** The issuer in AWS: `https://cognito-idp.us-east-1.amazonaws.com/us-east-1_…` */
  readonly issuer: string;
  /**
   * The hosted sign-in page in AWS: `https://….auth.us-east-1.amazoncognito.com`. Absent without a
   * domain.
   */
  readonly domain?: string;
  readonly clients: readonly UserPoolClient[];
  readonly groups: readonly string[];
}

export interface UserPoolClient {
  readonly id: string;
  readonly callbackUrls: readonly string[];
  readonly logoutUrls: readonly string[];
  readonly scopes: readonly string[];
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
  /** Whether refresh tokens can be revoked. */
  readonly revocation: boolean;
}

/** Returns undefined when the stack has no user pool. Throws UserError if it is not supported. */
export function userPoolOf(stack: ResolvedStack): UserPool | undefined {
  const [pool, ...others] = resourcesOfType(stack, 'AWS::Cognito::UserPool');
  if (pool === undefined) return undefined;
  if (others.length > 0) throw new UserError('the emulator supports one user pool per stack');
  const { region } = stack;
  const domain = resourcesOfType(stack, 'AWS::Cognito::UserPoolDomain').at(0)?.physicalId;
  return {
    issuer: `https://cognito-idp.${region}.amazonaws.com/${pool.physicalId}`,
    ...(domain && { domain: `https://${domain}.auth.${region}.amazoncognito.com` }),
    clients: resourcesOfType(stack, 'AWS::Cognito::UserPoolClient').map(clientOf),
    groups: resourcesOfType(stack, 'AWS::Cognito::UserPoolGroup').map((group) =>
      textProperty(group, 'GroupName'),
    ),
  };
}

function clientOf(resource: ResolvedResource): UserPoolClient {
  const flows = texts(resource, 'AllowedOAuthFlows');
  if (flows.join() !== 'code' || resource.properties.GenerateSecret === true) {
    throw new UserError(
      `${resource.logicalId}: the emulator supports only public clients with the flow code`,
    );
  }
  return {
    id: resource.physicalId,
    callbackUrls: texts(resource, 'CallbackURLs'),
    logoutUrls: texts(resource, 'LogoutURLs'),
    scopes: texts(resource, 'AllowedOAuthScopes'),
    accessTokenSeconds: seconds(resource, 'AccessToken', 'hours', 1),
    refreshTokenSeconds: seconds(resource, 'RefreshToken', 'days', 30),
    revocation: resource.properties.EnableTokenRevocation !== false,
  };
}

function texts(resource: ResolvedResource, property: string): readonly string[] {
  const value = resource.properties[property];
  return Array.isArray(value) ? value.map(String) : [];
}

const UNITS: Readonly<Record<string, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3600,
  days: 86_400,
};

/**
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-cognito-userpoolclient-tokenvalidityunits.html
 */
function seconds(
  resource: ResolvedResource,
  token: string,
  defaultUnit: string,
  defaultValue: number,
): number {
  const { TokenValidityUnits: units } = resource.properties;
  const unit = isRecord(units) && typeof units[token] === 'string' ? units[token] : defaultUnit;
  const length = UNITS[unit];
  const value = Number(optionalText(resource, `${token}Validity`) ?? defaultValue);
  if (length === undefined || !(value > 0)) {
    throw new UserError(
      `${resource.logicalId}.${token}Validity: ${value} ${unit} is not a duration`,
    );
  }
  return value * length;
}
