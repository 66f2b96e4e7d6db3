import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import * as cognito from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { ObjectStorage } from 'stowage';

/** Origin of the page, which server.mjs serves. */
const PAGE = 'http://localhost:3000';

/** An object storage whose users sign in on a page of another origin. */
export class FoldersStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const storage = new ObjectStorage(this, 'Storage', {
      // The page calls the storage itself.
      allowedOrigins: [PAGE],
      secondFactor: false,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The pool of the storage's administrators also has the users of the page. They are not in the
    // group stowage-admins, so they cannot administer.
    const client = storage.signIn?.userPool.addClient('Page', {
      generateSecret: false,
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [cognito.OAuthScope.OPENID],
        callbackUrls: [`${PAGE}/`],
        logoutUrls: [`${PAGE}/`],
      },
      supportedIdentityProviders: [cognito.UserPoolClientIdentityProvider.COGNITO],
      preventUserExistenceErrors: true,
    });
    new CfnOutput(this, 'BaseUrl', { value: storage.baseUrl });
    new CfnOutput(this, 'PageClientId', { value: client?.userPoolClientId ?? '' });
    new CfnOutput(this, 'ApiKeysTableName', { value: storage.tables.apiKeys.tableName });
    new CfnOutput(this, 'AuditTableName', { value: storage.tables.audit.tableName });
  }
}
