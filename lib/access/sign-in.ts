import { Aws, Duration, Fn, Lazy, Validations } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { protection, type StorageOptions } from '../storage/options';

/** The OpenID Connect issuer of people who may administer. */
export interface OidcIssuer {
  /** The `iss` of its tokens: `https://login.example.com/`. */
  readonly issuer: string;

  /** The dashboard's client id: a public client, authorization code with PKCE. */
  readonly clientId: string;

  /**
   * The URL of the issuer's public keys.
   *
   * @default - `{issuer}/.well-known/jwks.json`
   */
  readonly jwksUri?: string;

  /**
   * The `aud` of the issuer's access tokens for this service. It must differ from `clientId`, the
   * `aud` of ID tokens.
   *
   * @default - none: the tokens must be marked as access tokens (`token_use`, or `typ` of RFC 9068)
   */
  readonly audience?: string;

  /**
   * The scopes that the dashboard requests.
   *
   * @default ['openid', 'email']
   */
  readonly scopes?: readonly string[];

  /** The claim of access tokens that is checked: a string, or a list of strings. */
  readonly claim: string;

  /** The value that the claim of an administrator must equal or contain. */
  readonly value: string;

  /**
   * The sign-out URL, to which the dashboard appends its own address:
   * `https://…/logout?client_id=…&logout_uri=`.
   *
   * @default - the URL in the issuer's discovery document
   */
  readonly signOutUrl?: string;

  /**
   * Origins that the dashboard calls in addition to the issuer's, such as that of the token
   * endpoint.
   *
   * @default - the origin of `signOutUrl`
   */
  readonly origins?: readonly string[];
}

/** Options of the sign-in of the people who administer. */
export interface SignInOptions {
  /**
   * The issuer that signs in the people who administer API keys.
   *
   * @default - a Cognito user pool that the service creates, with the group `stowage-admins`
   */
  readonly oidc?: OidcIssuer;

  /**
   * Whether the service's own user pool requires a code of an authenticator app (TOTP) beside the
   * password. Its sign-in page walks each person through the set-up at the first sign-in. Without
   * it, a stolen password administers.
   *
   * @default true
   */
  readonly secondFactor?: boolean;

  /**
   * Addresses of the dashboard, such as `https://files.example.com/`, to which the service's own
   * user pool redirects after sign-in and sign-out.
   *
   * @default - the address of the edge, or without an edge that of the REST API
   */
  readonly dashboardUrls?: string[];
}

/** The group of the administrators. */
const ADMINISTRATORS = 'stowage-admins';

/**
 * The user pool of the people who may administer. Self sign-up is off: an administrator of the
 * account adds each person to the pool and to the group.
 */
export class SignIn extends Construct {
  /** The pool of the administrators. */
  public readonly userPool: cognito.UserPool;
  /** The pool's client for the dashboard. */
  public readonly client: cognito.UserPoolClient;
  /** The pool as an OpenID Connect issuer. */
  public readonly issuer: OidcIssuer;
  private readonly pages: string[] = [];

  /** @internal */
  constructor(scope: Construct, id: string, options: SignInOptions & StorageOptions = {}) {
    super(scope, id);
    const { secondFactor = true } = options;
    this.userPool = new cognito.UserPool(this, 'Users', {
      selfSignUpEnabled: false,
      // With names instead of e-mail addresses, access tokens and so audit records hold a name that
      // people know.
      signInAliases: { username: true },
      signInCaseSensitive: false,
      standardAttributes: { email: { required: true, mutable: true } },
      autoVerify: { email: true },
      accountRecovery: cognito.AccountRecovery.EMAIL_ONLY,
      // Not OPTIONAL: Cognito's page offers the set-up only to people who must have it.
      mfa: secondFactor ? cognito.Mfa.REQUIRED : cognito.Mfa.OFF,
      mfaSecondFactor: secondFactor ? { otp: true, sms: false } : undefined,
      passwordPolicy: {
        minLength: 14,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      ...protection(options),
    });
    new cognito.CfnUserPoolGroup(this, 'Administrators', {
      userPoolId: this.userPool.userPoolId,
      groupName: ADMINISTRATORS,
      description: 'May create, change and revoke API keys',
    });
    const domain = this.userPool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: this.domainPrefix() },
    });
    this.client = this.addDashboard();
    const { userPoolClientId: clientId } = this.client;
    this.issuer = {
      // The same as the attribute ProviderURL, which not every emulator of CloudFormation has.
      issuer: `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${this.userPool.userPoolId}`,
      clientId,
      claim: 'cognito:groups',
      value: ADMINISTRATORS,
      signOutUrl: `${domain.baseUrl()}/logout?client_id=${clientId}&logout_uri=`,
    };
    this.acknowledge(secondFactor);
  }

  /** @internal Allows sign-in and sign-out on the page at this URL. */
  public addPage(url: string): void {
    this.pages.push(url);
  }

  /**
   * Unique in the region, and constant for the stack: the stack's UUID with the address of this
   * construct.
   */
  private domainPrefix(): string {
    const stack = Fn.select(2, Fn.split('/', Aws.STACK_ID));
    return `stowage-${this.node.addr.slice(-8)}-${stack}`;
  }

  private addDashboard(): cognito.UserPoolClient {
    const urls = Lazy.list({ produce: () => this.pages });
    return this.userPool.addClient('Dashboard', {
      generateSecret: false,
      // Refresh tokens only. By default anybody with the client id, which is public, could sign in
      // past the hosted page, and get a token that may change the person's own account.
      authFlows: { userSrp: false },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL],
        callbackUrls: urls,
        logoutUrls: urls,
      },
      supportedIdentityProviders: [cognito.UserPoolClientIdentityProvider.COGNITO],
      preventUserExistenceErrors: true,
      enableTokenRevocation: true,
      accessTokenValidity: Duration.hours(1),
      idTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.hours(12),
    });
  }

  private acknowledge(secondFactor: boolean): void {
    const lockout =
      'Threat protection needs the Plus plan at a price per user. Without it, the password policy and the lockout of Cognito protect against guessed passwords. Self sign-up is off.';
    Validations.of(this.userPool).acknowledge(
      { id: 'AwsSolutions-COG3', reason: lockout },
      { id: 'AwsSolutions-COG8', reason: lockout },
    );
    if (!secondFactor) {
      Validations.of(this.userPool).acknowledge({
        id: 'AwsSolutions-COG2',
        reason: 'The deployer has switched the second factor off: the prop secondFactor.',
      });
    }
  }
}
