import { Match } from 'aws-cdk-lib/assertions';
import { functionProperties, logicalId, onlyOf, useStorage } from '../synthesize';

const ROUTES = ['$connect', '$default', '$disconnect'];

describe('the WebSocket API with default settings', () => {
  const synthesized = useStorage();
  const { stack, storage, template } = synthesized;
  const api = { Ref: logicalId(stack, storage.channelApi.webSocketApi) };
  const sync = { 'Fn::GetAtt': [logicalId(stack, storage.functions.channel.function), 'Arn'] };

  test('routes by the action of a message', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Api', {
      ProtocolType: 'WEBSOCKET',
      RouteSelectionExpression: '$request.body.action',
    });
  });

  test('sends handshakes, messages and disconnects to the function channel, without an authorizer', () => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route'));
    expect(routes.map(({ Properties }) => Properties.RouteKey).sort()).toEqual(ROUTES);
    const integrations = template.findResources('AWS::ApiGatewayV2::Integration');
    for (const { Properties } of routes) {
      expect(Properties).toMatchObject({ ApiId: api, AuthorizationType: 'NONE' });
      // The function posts its responses: the gateway could send a route response before or after
      // the messages that belong to it.
      expect(Properties).not.toHaveProperty('RouteResponseSelectionExpression');
      const [, [prefix, { Ref: target }]] = Properties.Target['Fn::Join'];
      expect(prefix).toBe('integrations/');
      const integration = integrations[target]?.Properties;
      expect(integration).toMatchObject({ ApiId: api, IntegrationType: 'AWS_PROXY' });
      expect(JSON.stringify(integration.IntegrationUri)).toContain(JSON.stringify(sync));
    }
  });

  test('waits as long as the timeout of the function channel', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', { TimeoutInMillis: 29_000 });
    expect(functionProperties(synthesized, 'channel').Timeout).toBe(29);
  });

  test('may invoke the function channel for its routes, and nothing else', () => {
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

  test('throttles, deploys automatically, and logs access but no message', () => {
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

  test('writes no tickets, messages or headers into the access log', () => {
    const format: string = onlyOf(template, 'AWS::ApiGatewayV2::Stage').AccessLogSettings.Format;
    expect(JSON.parse(format)).toMatchObject({ connection_id: '$context.connectionId' });
    const variables = Object.values<string>(JSON.parse(format));
    for (const variable of variables) expect(variable).toMatch(/^\$context\.[A-Za-z.]+$/);
    expect(format).not.toMatch(/query|header|body|path|authorizer|messageString|userAgent/i);
  });

  test('deploys its stage after its routes and the role that writes its log', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const before = [
      ...Object.keys(template.findResources('AWS::ApiGatewayV2::Route')),
      ...Object.keys(template.findResources('AWS::ApiGateway::Account')),
    ];
    expect(before).toHaveLength(4);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(before));
  });

  test('has an address with wss for clients and one with https for functions', () => {
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
    // Clients get the address of the edge instead.
    const { CONNECTIONS_ENDPOINT } = functionProperties(synthesized, 'channel').Environment
      .Variables;
    expect(CONNECTIONS_ENDPOINT).toEqual(address('https'));
  });
});

describe('allowedOrigins', () => {
  const allowedOrigins = ['https://app.example.com', 'http://localhost:3000'];
  const synthesized = useStorage({ allowedOrigins });

  test('may open a channel as the dashboard may; a signed URL works on any page', () => {
    const { ALLOWED_ORIGINS } = functionProperties(synthesized, 'channel').Environment.Variables;
    expect(JSON.stringify(ALLOWED_ORIGINS)).toContain(
      JSON.stringify(JSON.stringify(allowedOrigins).slice(1)).slice(1, -1),
    );
    synthesized.template.hasResourceProperties('AWS::S3::Bucket', {
      CorsConfiguration: { CorsRules: [{ AllowedOrigins: ['*'] }] },
    });
  });
});

describe('apiGatewayLogRole: false', () => {
  const { template } = useStorage({ apiGatewayLogRole: false });

  test('lets the stage log with the role that the account already has', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    expect(stage?.Properties.AccessLogSettings.DestinationArn).toBeDefined();
    const dependencies = stage?.DependsOn.map((id: string) => template.toJSON().Resources[id].Type);
    expect(dependencies).not.toContain('AWS::ApiGateway::Account');
  });
});
