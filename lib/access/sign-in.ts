import { Aws, Duration, Fn, Lazy, RemovalPolicy, Validations } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';

/** Who signs people in, and which of them may administer. */
export interface OidcIssuer {
  /** As in the `iss` of its tokens: `https://login.example.com/`. */
  readonly issuer: string;

  /** The dashboard as the issuer knows it: a public client, authorization code with PKCE. */
  readonly clientId: string;

  /**
   * Where the issuer's public keys are.
   *
   * @default - `{issuer}/.well-known/jwks.json`
   */
  readonly jwksUri?: string;

  /**
   * `aud` of the issuer's access tokens for this service; another text than `clientId`, which is
   * that of its ID tokens.
   *
   * @default - none: the tokens must say themselves that they are access tokens (`token_use`, or
   * `typ` of RFC 9068)
   */
  readonly audience?: string;

  /**
   * Scopes that the dashboard asks for.
   *
   * @default ['openid', 'email']
   */
  readonly scopes?: readonly string[];

  /** The claim of access tokens that tells who may administer: a text, or a list of texts. */
  readonly claim: string;

  /** What the claim must be, or hold. */
  readonly value: string;

  /**
   * Where the dashboard signs out, to which it appends its own address:
   * `https://…/logout?client_id=…&logout_uri=`.
   *
   * @default - what the issuer's discovery document names
   */
  readonly signOutUrl?: string;

  /**
   * Origins beside the issuer's that the dashboard must ask, such as that of the token endpoint.
   *
   * @default - that of `signOutUrl`
   */
  readonly origins?: readonly string[];
}

export interface SignInProps {
  /**
   * What happens to the user pool when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Whether Cognito refuses to delete the user pool until this is switched off.
   *
   * @default - true with RemovalPolicy.RETAIN, else false
   */
  readonly deletionProtection?: boolean;
}

/** The group of those who may administer. */
const ADMINISTRATORS = 'stowage-admins';

/**
 * The people who may administer, in a user pool of their own: nobody can sign up, and an
 * administrator of the account adds each to the pool and to the group.
 */
export class SignIn extends Construct {
  /** The pool in which administrators are. */
  public readonly userPool: cognito.UserPool;
  /** The dashboard, as the pool knows it. */
  public readonly client: cognito.UserPoolClient;
  /** What the functions are told of the pool. */
  public readonly issuer: OidcIssuer;
  private readonly pages: string[] = [];

  /** @internal */
  constructor(scope: Construct, id: string, props: SignInProps = {}) {
    super(scope, id);
    const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
    this.userPool = new cognito.UserPool(this, 'Users', {
      selfSignUpEnabled: false,
      // By a name, and not by e-mail address: access tokens, and so audit records, then hold a name
      // that people know.
      signInAliases: { username: true },
      signInCaseSensitive: false,
      standardAttributes: { email: { required: true, mutable: true } },
      autoVerify: { email: true },
      accountRecovery: cognito.AccountRecovery.EMAIL_ONLY,
      mfa: cognito.Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 14,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(3),
      },
      deletionProtection: props.deletionProtection ?? removalPolicy === RemovalPolicy.RETAIN,
      removalPolicy,
    });
    new cognito.CfnUserPoolGroup(this, 'Administrators', {
      userPoolId: this.userPool.userPoolId,
      groupName: ADMINISTRATORS,
      description: 'May make, change and revoke API keys',
    });
    const domain = this.userPool.addDomain('Domain', {
      cognitoDomain: { domainPrefix: this.domainPrefix() },
    });
    this.client = this.addDashboard();
    const { userPoolClientId: clientId } = this.client;
    this.issuer = {
      // The attribute ProviderURL is the same, but not every emulator of CloudFormation has it.
      issuer: `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${this.userPool.userPoolId}`,
      clientId,
      claim: 'cognito:groups',
      value: ADMINISTRATORS,
      signOutUrl: `${domain.baseUrl()}/logout?client_id=${clientId}&logout_uri=`,
    };
    this.acknowledge();
  }

  /** @internal Lets people sign in on the page of that address, and out of it. */
  public addPage(url: string): void {
    this.pages.push(url);
  }

  /**
   * Unique in the region, and the same for the life of the stack: the stack's UUID, and a name for
   * this part of it.
   */
  private domainPrefix(): string {
    const stack = Fn.select(2, Fn.split('/', Aws.STACK_ID));
    return `stowage-${this.node.addr.slice(-8)}-${stack}`;
  }

  private addDashboard(): cognito.UserPoolClient {
    const urls = Lazy.list({ produce: () => this.pages });
    return this.userPool.addClient('Dashboard', {
      generateSecret: false,
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

  private acknowledge(): void {
    const lockout =
      'Without threat protection, which takes the Plus plan at a price per user, guessed and leaked passwords are held by the password policy and the lockout of Cognito alone; nobody can sign up by themselves.';
    Validations.of(this.userPool).acknowledge(
      {
        id: 'AwsSolutions-COG2',
        reason:
          'A second factor is offered to everybody but demanded of nobody, so that the first sign-in works without one: a stolen password then suffices to administer; who must rule that out sets the pool to demand it.',
      },
      { id: 'AwsSolutions-COG3', reason: lockout },
      { id: 'AwsSolutions-COG8', reason: lockout },
    );
  }
}
