import { Match } from 'aws-cdk-lib/assertions';
import { logicalId, useStorage } from '../synthesize';

const ROUTES = ['$connect', '$default', '$disconnect'];

describe('the WebSocket API with default settings', () => {
  const { stack, storage, template } = useStorage();
  const api = { Ref: logicalId(stack, storage.channelApi.webSocketApi) };
  const sync = { 'Fn::GetAtt': [logicalId(stack, storage.functions.channel.function), 'Arn'] };

  test('routes by the action of a message', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'WEBSOCKET',
      RouteSelectionExpression: '$request.body.action',
    });
  });

  test('sends handshakes, messages and ends to sync, which checks the key itself', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(ROUTES);
    const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
    for (const { Properties } of routes) {
      expect(Properties).toMatchObject({ ApiId: api, AuthorizationType: 'NONE' });
      // Answers are posted: a route response would be sent before, or after, the messages that it
      // announces.
      expect(Properties).not.toHaveProperty('RouteResponseSelectionExpression');
      const [, [prefix, { Ref: target }]] = Properties.Target['Fn::Join'];
      expect(prefix).toBe('integrations/');
      const integration = integrations[target]?.Properties;
      expect(integration).toMatchObject({ ApiId: api, IntegrationType: 'AWS_PROXY' });
      expect(JSON.stringify(integration.IntegrationUri)).toContain(JSON.stringify(sync));
    }
  });

  test('gives sync as long as the gateway waits', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { TimeoutInMillis: 29_000 });
    const { Timeout } = template.toJSON().Resources[sync['Fn::GetAtt'][0] ?? ''].Properties;
    expect(Timeout).toBe(29);
  });

  test('may invoke sync for its routes, and nothing else', () => {
    const ofApi = Object.values(template.findResources('AWS::Lambda::Permission'))
      .map(({ Properties }) => Properties)
      .filter(({ SourceArn }) => JSON.stringify(SourceArn ?? '').includes(JSON.stringify(api)));
    const routes = ofApi.map(({ SourceArn }) => SourceArn['Fn::Join'][1].at(-1).slice(2));
    expect(routes.sort()).toEqual(ROUTES);
    for (const permission of ofApi) {
      expect(permission).toMatchObject({
        Action: 'lambda:InvokeFunction',
        FunctionName: sync,
        Principal: 'apigateway.amazonaws.com',
      });
    }
  });

  test('throttles, deploys by itself, and logs access but nothing of what is said', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      ApiId: api,
      StageName: 'sync',
      AutoDeploy: true,
      DefaultRouteSettings: {
        ThrottlingRateLimit: 1000,
        ThrottlingBurstLimit: 500,
        DetailedMetricsEnabled: Match.absent(),
        DataTraceEnabled: Match.absent(),
        LoggingLevel: Match.absent(),
      },
      AccessLogSettings: {
        DestinationArn: stack.resolve(storage.channelApi.accessLogs.logGroupArn),
      },
    });
  });

  test('keeps tickets, messages and headers out of the access log', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const format: string = stage?.Properties.AccessLogSettings.Format;
    expect(JSON.parse(format)).toMatchObject({ connection_id: '$context.connectionId' });
    const variables = Object.values<string>(JSON.parse(format));
    for (const variable of variables) expect(variable).toMatch(/^\$context\.[A-Za-z.]+$/);
    expect(format).not.toMatch(/query|header|body|path|authorizer|messageString|userAgent/i);
  });

  test('has its stage deployed after its routes and the role that its log needs', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const before = [
      ...Object.keys(template.findResources('AWS::ApiGatewayV2::Route')),
      ...Object.keys(template.findResources('AWS::ApiGateway::Account')),
    ];
    expect(before).toHaveLength(4);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(before));
  });

  test('is known to clients by wss and to the functions by https', () => {
    const address = (scheme: string) => ({
      'Fn::Join': [
        '',
        [
          `${scheme}://`,
          api,
          '.execute-api.',
          { Ref: 'AWS::Region' },
          '.',
          { Ref: 'AWS::URLSuffix' },
          '/sync',
        ],
      ],
    });
    expect(stack.resolve(storage.channelApi.url)).toEqual(address('wss'));
    expect(stack.resolve(storage.channelApi.connectionsEndpoint)).toEqual(address('https'));
    const variables = (name: 'channel') =>
      template.toJSON().Resources[logicalId(stack, storage.functions[name].function)].Properties
        .Environment.Variables;
    // What clients are told instead is the edge's.
    expect(variables('channel').CONNECTIONS_ENDPOINT).toEqual(address('https'));
  });
});

describe('allowedOrigins', () => {
  const allowedOrigins = ['https://app.example.com', 'http://localhost:3000'];
  const { stack, storage, template } = useStorage({ allowedOrigins });

  test('are those that may open a channel beside the dashboard; a signed URL works on any page', () => {
    const id = logicalId(stack, storage.functions.channel.function);
    const { ALLOWED_ORIGINS } = template.toJSON().Resources[id].Properties.Environment.Variables;
    expect(JSON.stringify(ALLOWED_ORIGINS)).toContain(
      JSON.stringify(JSON.stringify(allowedOrigins).slice(1)).slice(1, -1),
    );
    template.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: { CorsRules: [{ AllowedOrigins: ['*'] }] },
    });
  });
});

describe('apiGatewayLogRole: false', () => {
  const { template } = useStorage({ apiGatewayLogRole: false });

  test('lets the stage log by the role that the account has', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    expect(stage?.Properties.AccessLogSettings.DestinationArn).toBeDefined();
    const dependencies = stage?.DependsOn.map((id: string) => template.toJSON().Resources[id].Type);
    expect(dependencies).not.toContain('AWS::ApiGateway::Account');
  });
});
