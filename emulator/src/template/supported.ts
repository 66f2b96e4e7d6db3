/**
 * Which resource types and properties the emulator supports. check.ts refuses any other at start,
 * because a template that AWS would treat differently must not pass here.
 */

/**
 * `emulated`: has its effect. `accepted`: has no effect, which is harmless. An object lists nested
 * properties.
 */
export type Support = 'emulated' | 'accepted' | Properties;

export interface Properties {
  readonly [property: string]: Support;
}

const EMULATED = 'emulated';
const ACCEPTED = 'accepted';

function all(support: Support, ...properties: string[]): Properties {
  return Object.fromEntries(properties.map((property) => [property, support]));
}

const FUNCTION: Properties = {
  ...all(EMULATED, 'FunctionName', 'Handler', 'MemorySize', 'Role', 'Runtime', 'Timeout'),
  ...all(EMULATED, 'RecursiveLoop', 'ReservedConcurrentExecutions'),
  ...all(ACCEPTED, 'Architectures', 'Description', 'LoggingConfig', 'Tags', 'TracingConfig'),
  ...all(ACCEPTED, 'EphemeralStorage', 'PackageType'),
  Code: all(EMULATED, 'S3Bucket', 'S3Key'),
  Environment: all(EMULATED, 'Variables'),
};

const TABLE_SETTINGS: Properties = {
  ...all(ACCEPTED, 'ContributorInsightsSpecification', 'DeletionProtectionEnabled'),
  ...all(ACCEPTED, 'KinesisStreamSpecification', 'PointInTimeRecoverySpecification'),
  ...all(ACCEPTED, 'ReadOnDemandThroughputSettings'),
  ...all(ACCEPTED, 'ResourcePolicy', 'SSESpecification', 'TableClass', 'Tags'),
};

const TABLE: Properties = {
  ...all(EMULATED, 'AttributeDefinitions', 'BillingMode', 'KeySchema', 'StreamSpecification'),
  ...all(EMULATED, 'TableName', 'TimeToLiveSpecification'),
  GlobalSecondaryIndexes: all(EMULATED, 'IndexName', 'KeySchema', 'Projection'),
  // The emulator does not throttle.
  ...all(ACCEPTED, 'SSESpecification', 'WarmThroughput', 'WriteOnDemandThroughputSettings'),
};

const BUCKET: Properties = {
  ...all(EMULATED, 'BucketName', 'CorsConfiguration', 'LifecycleConfiguration'),
  ...all(ACCEPTED, 'BucketEncryption', 'LoggingConfiguration'),
  ...all(ACCEPTED, 'OwnershipControls', 'PublicAccessBlockConfiguration', 'Tags'),
  ...all(ACCEPTED, 'VersioningConfiguration'),
  NotificationConfiguration: {
    LambdaConfigurations: {
      ...all(EMULATED, 'Event', 'Function'),
      Filter: { S3Key: { Rules: all(EMULATED, 'Name', 'Value') } },
    },
  },
};

const METHOD: Properties = {
  ...all(EMULATED, 'ApiKeyRequired', 'AuthorizationType', 'AuthorizerId', 'HttpMethod'),
  ...all(EMULATED, 'OperationName', 'ResourceId', 'RestApiId'),
  Integration: {
    ...all(EMULATED, 'IntegrationHttpMethod', 'ResponseTransferMode', 'TimeoutInMillis', 'Type'),
    ...all(EMULATED, 'Uri'),
  },
};

/** The developer is the only user, so the rules for users and passwords have no effect. */
const USER_POOL: Properties = {
  ...all(ACCEPTED, 'AccountRecoverySetting', 'AdminCreateUserConfig', 'AutoVerifiedAttributes'),
  ...all(ACCEPTED, 'DeletionProtection', 'EmailVerificationMessage', 'EmailVerificationSubject'),
  ...all(ACCEPTED, 'EnabledMfas', 'MfaConfiguration', 'Policies', 'Schema', 'UserPoolTags'),
  ...all(ACCEPTED, 'SmsVerificationMessage', 'UsernameConfiguration', 'UserPoolName'),
  ...all(ACCEPTED, 'UserPoolTier', 'VerificationMessageTemplate'),
};

const USER_POOL_CLIENT: Properties = {
  ...all(EMULATED, 'AccessTokenValidity', 'AllowedOAuthFlows', 'AllowedOAuthScopes'),
  ...all(EMULATED, 'AllowedOAuthFlowsUserPoolClient', 'CallbackURLs', 'GenerateSecret'),
  ...all(EMULATED, 'LogoutURLs', 'RefreshTokenValidity', 'TokenValidityUnits', 'UserPoolId'),
  ...all(ACCEPTED, 'ClientName', 'ExplicitAuthFlows', 'IdTokenValidity'),
  ...all(EMULATED, 'EnableTokenRevocation'),
  ...all(ACCEPTED, 'PreventUserExistenceErrors', 'SupportedIdentityProviders'),
};

const EVENT_SOURCE_MAPPING: Properties = {
  ...all(EMULATED, 'BatchSize', 'BisectBatchOnFunctionError', 'Enabled', 'EventSourceArn'),
  ...all(EMULATED, 'FunctionName', 'FunctionResponseTypes', 'MaximumBatchingWindowInSeconds'),
  ...all(EMULATED, 'MaximumRecordAgeInSeconds', 'MaximumRetryAttempts', 'StartingPosition'),
  ...all(ACCEPTED, 'ParallelizationFactor', 'Tags'),
  DestinationConfig: { OnFailure: all(EMULATED, 'Destination') },
  FilterCriteria: { Filters: all(EMULATED, 'Pattern') },
  ScalingConfig: all(EMULATED, 'MaximumConcurrency'),
};

const QUEUE: Properties = {
  ...all(EMULATED, 'DelaySeconds', 'MaximumMessageSize', 'MessageRetentionPeriod', 'QueueName'),
  ...all(EMULATED, 'ReceiveMessageWaitTimeSeconds', 'VisibilityTimeout', 'FifoQueue'),
  ...all(EMULATED, 'ContentBasedDeduplication', 'DeduplicationScope'),
  // The emulator does not throttle.
  ...all(ACCEPTED, 'FifoThroughputLimit'),
  ...all(ACCEPTED, 'KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'SqsManagedSseEnabled'),
  ...all(ACCEPTED, 'Tags'),
  RedrivePolicy: all(EMULATED, 'deadLetterTargetArn', 'maxReceiveCount'),
};

const RULE: Properties = {
  ...all(EMULATED, 'EventBusName', 'Name', 'ScheduleExpression', 'State'),
  // services/events checks the pattern, whose keys are not properties.
  EventPattern: EMULATED,
  ...all(ACCEPTED, 'Description', 'Tags'),
  Targets: { ...all(EMULATED, 'Arn', 'Input'), ...all(ACCEPTED, 'Id', 'RetryPolicy') },
};

const ROLE: Properties = {
  ...all(EMULATED, 'AssumeRolePolicyDocument', 'ManagedPolicyArns', 'Path', 'RoleName'),
  ...all(ACCEPTED, 'Description', 'MaxSessionDuration', 'Tags'),
  Policies: all(EMULATED, 'PolicyDocument', 'PolicyName'),
};

const POLICY = all(EMULATED, 'PolicyDocument', 'PolicyName', 'Roles');

const BEHAVIOR: Properties = {
  ...all(EMULATED, 'AllowedMethods', 'CachePolicyId', 'Compress', 'OriginRequestPolicyId'),
  ...all(EMULATED, 'PathPattern', 'ResponseHeadersPolicyId', 'TargetOriginId'),
  FunctionAssociations: all(EMULATED, 'EventType', 'FunctionARN'),
  ...all(ACCEPTED, 'ViewerProtocolPolicy'),
};

const DISTRIBUTION: Properties = {
  ...all(EMULATED, 'Aliases', 'Enabled'),
  CacheBehaviors: BEHAVIOR,
  CustomErrorResponses: all(EMULATED, 'ErrorCachingMinTTL', 'ErrorCode'),
  DefaultCacheBehavior: BEHAVIOR,
  Origins: {
    ...all(EMULATED, 'DomainName', 'Id', 'OriginAccessControlId', 'OriginPath'),
    OriginCustomHeaders: all(EMULATED, 'HeaderName', 'HeaderValue'),
    CustomOriginConfig: {
      ...all(EMULATED, 'OriginProtocolPolicy'),
      ...all(ACCEPTED, 'OriginReadTimeout', 'OriginSSLProtocols'),
    },
  },
  ...all(ACCEPTED, 'Comment', 'HttpVersion', 'IPV6Enabled', 'Logging', 'PriceClass'),
  ...all(EMULATED, 'WebACLId'),
  ...all(ACCEPTED, 'ViewerCertificate'),
};

const WEB_ACL: Properties = {
  ...all(EMULATED, 'CustomResponseBodies', 'DefaultAction', 'Scope'),
  ...all(ACCEPTED, 'Description', 'Name', 'Tags', 'VisibilityConfig'),
  Rules: {
    ...all(EMULATED, 'Action', 'Priority'),
    Statement: {
      RateBasedStatement: all(EMULATED, 'AggregateKeyType', 'Limit', 'ScopeDownStatement'),
    },
    ...all(ACCEPTED, 'Name', 'VisibilityConfig'),
  },
};

/** `accepted` for a whole type: the resource has no effect. */
export const RESOURCE_TYPES: Readonly<Record<string, Support>> = {
  'AWS::ApiGateway::Account': ACCEPTED,
  'AWS::ApiGateway::Authorizer': all(
    EMULATED,
    'AuthorizerResultTtlInSeconds',
    'AuthorizerUri',
    'IdentitySource',
    'IdentityValidationExpression',
    'Name',
    'RestApiId',
    'Type',
  ),
  'AWS::ApiGateway::Deployment': { RestApiId: EMULATED, Description: ACCEPTED },
  'AWS::ApiGateway::GatewayResponse': all(
    EMULATED,
    'ResponseParameters',
    'ResponseTemplates',
    'ResponseType',
    'RestApiId',
    'StatusCode',
  ),
  'AWS::ApiGateway::Method': METHOD,
  'AWS::ApiGateway::Resource': all(EMULATED, 'ParentId', 'PathPart', 'RestApiId'),
  'AWS::ApiGateway::RestApi': {
    ...all(EMULATED, 'BinaryMediaTypes', 'Name', 'Policy'),
    ...all(ACCEPTED, 'Description', 'EndpointConfiguration', 'Tags', 'DisableExecuteApiEndpoint'),
  },
  'AWS::ApiGateway::Stage': {
    ...all(EMULATED, 'AccessLogSetting', 'DeploymentId', 'RestApiId', 'StageName', 'Variables'),
    ...all(ACCEPTED, 'Description', 'MethodSettings', 'Tags', 'TracingEnabled'),
  },
  'AWS::ApiGatewayV2::Api': {
    ...all(EMULATED, 'DisableExecuteApiEndpoint', 'Name', 'ProtocolType'),
    ...all(EMULATED, 'RouteSelectionExpression'),
    ...all(ACCEPTED, 'Description', 'Tags'),
  },
  'AWS::ApiGatewayV2::Integration': {
    ...all(EMULATED, 'ApiId', 'IntegrationMethod', 'IntegrationType', 'IntegrationUri'),
    ...all(EMULATED, 'TimeoutInMillis'),
    Description: ACCEPTED,
  },
  'AWS::ApiGatewayV2::Route': {
    ...all(EMULATED, 'ApiId', 'ApiKeyRequired', 'AuthorizationType', 'RouteKey', 'Target'),
    OperationName: ACCEPTED,
  },
  'AWS::ApiGatewayV2::Stage': {
    ...all(EMULATED, 'ApiId', 'AutoDeploy', 'StageName'),
    ...all(ACCEPTED, 'AccessLogSettings', 'DefaultRouteSettings', 'Description', 'Tags'),
  },
  'AWS::CDK::Metadata': ACCEPTED,
  'AWS::CloudFront::Distribution': { DistributionConfig: DISTRIBUTION, Tags: ACCEPTED },
  'AWS::CloudFront::Function': {
    ...all(EMULATED, 'AutoPublish', 'FunctionCode', 'Name'),
    FunctionConfig: { Runtime: EMULATED, Comment: ACCEPTED },
  },
  'AWS::CloudFront::OriginAccessControl': {
    OriginAccessControlConfig: {
      ...all(EMULATED, 'OriginAccessControlOriginType', 'SigningBehavior', 'SigningProtocol'),
      ...all(ACCEPTED, 'Description', 'Name'),
    },
  },
  'AWS::CloudFront::ResponseHeadersPolicy': {
    ResponseHeadersPolicyConfig: {
      ...all(EMULATED, 'CorsConfig', 'SecurityHeadersConfig'),
      ...all(ACCEPTED, 'Comment', 'Name'),
    },
  },
  'AWS::CloudWatch::Alarm': ACCEPTED,
  'AWS::CloudWatch::Dashboard': ACCEPTED,
  'AWS::Cognito::UserPool': USER_POOL,
  'AWS::Cognito::UserPoolClient': USER_POOL_CLIENT,
  'AWS::Cognito::UserPoolDomain': { ...all(EMULATED, 'Domain', 'UserPoolId') },
  'AWS::Cognito::UserPoolGroup': {
    ...all(EMULATED, 'GroupName', 'UserPoolId'),
    Description: ACCEPTED,
  },
  'AWS::DynamoDB::GlobalTable': {
    ...TABLE,
    Replicas: {
      Region: EMULATED,
      GlobalSecondaryIndexes: { IndexName: EMULATED },
      ...TABLE_SETTINGS,
    },
  },
  'AWS::DynamoDB::Table': { ...TABLE, ...TABLE_SETTINGS },
  'AWS::Events::EventBus': {
    ...all(EMULATED, 'Name'),
    ...all(ACCEPTED, 'Description', 'KmsKeyIdentifier', 'Tags'),
  },
  'AWS::Events::Rule': RULE,
  'AWS::IAM::ManagedPolicy': {
    ...POLICY,
    ...all(ACCEPTED, 'Description', 'ManagedPolicyName', 'Path'),
  },
  'AWS::IAM::Policy': POLICY,
  'AWS::IAM::Role': ROLE,
  'AWS::Lambda::Alias': {
    ...all(EMULATED, 'FunctionName', 'FunctionVersion', 'Name'),
    Description: ACCEPTED,
  },
  // The emulator does not encrypt, and does not evaluate the policies of keys.
  'AWS::KMS::Alias': ACCEPTED,
  'AWS::KMS::Key': ACCEPTED,
  'AWS::Lambda::EventInvokeConfig': {
    ...all(
      EMULATED,
      'FunctionName',
      'MaximumEventAgeInSeconds',
      'MaximumRetryAttempts',
      'Qualifier',
    ),
  },
  'AWS::Lambda::EventSourceMapping': EVENT_SOURCE_MAPPING,
  'AWS::Lambda::Function': FUNCTION,
  'AWS::Lambda::Permission': all(
    EMULATED,
    'Action',
    'FunctionName',
    'InvokedViaFunctionUrl',
    'Principal',
    'SourceAccount',
    'SourceArn',
  ),
  'AWS::Lambda::Url': all(EMULATED, 'AuthType', 'InvokeMode', 'TargetFunctionArn'),
  'AWS::Logs::LogGroup': ACCEPTED,
  'AWS::Logs::MetricFilter': ACCEPTED,
  'AWS::S3::Bucket': BUCKET,
  'AWS::S3::BucketPolicy': all(EMULATED, 'Bucket', 'PolicyDocument'),
  'AWS::SecretsManager::Secret': {
    GenerateSecretString: all(EMULATED, 'ExcludePunctuation', 'PasswordLength'),
    ...all(ACCEPTED, 'Description', 'KmsKeyId', 'Name', 'Tags'),
  },
  'AWS::SNS::Subscription': ACCEPTED,
  'AWS::SNS::Topic': ACCEPTED,
  'AWS::SNS::TopicPolicy': ACCEPTED,
  'AWS::SQS::Queue': QUEUE,
  'AWS::SQS::QueuePolicy': all(EMULATED, 'PolicyDocument', 'Queues'),
  'AWS::WAFv2::WebACL': WEB_ACL,
  // Empties a bucket before CloudFormation deletes it. The emulator deletes no resources.
  'Custom::S3AutoDeleteObjects': ACCEPTED,
};
