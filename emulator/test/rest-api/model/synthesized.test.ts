/** Tests a REST API that CDK synthesizes: resources, permissions, dependencies, intrinsics. */
import { App, Duration, Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Invoker } from '../../../src/services/lambda/invoker';
import { startRestApi } from '../../../src/services/rest-api/rest-api';
import { loadStack } from '../../../src/template/assembly';
import type { ResolvedStack } from '../../../src/template/model';
import { resolveStack } from '../../../src/template/resolve-stack';
import { useFolder } from '../../support/clean-up';
import { allow, functions, streamed } from '../functions';
import { functionArn } from '../stack';
import { send } from '../wire';

function synthesize(): ResolvedStack {
  const outdir = useFolder();
  // The schema check takes seconds and prevents the worker of jest from exiting.
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  const scope = new Stack(app, 'Synthesized');
  const fn = (id: string) =>
    new lambda.Function(scope, id, {
      runtime: lambda.Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: lambda.Code.fromInline('exports.handler = () => {}'),
    });
  const api = new apigateway.RestApi(scope, 'Api', {
    endpointTypes: [apigateway.EndpointType.REGIONAL],
    binaryMediaTypes: ['*/*'],
    cloudWatchRole: false,
    deployOptions: { stageName: 'v1', variables: { colour: 'blue' } },
  });
  const authorizer = new apigateway.TokenAuthorizer(scope, 'Keys', {
    handler: fn('authorizer'),
    validationRegex: 'Bearer [a-z]+',
    resultsCacheTtl: Duration.seconds(300),
  });
  const objects = api.root.addResource('objects').addResource('{bucket}').addResource('{key+}');
  const buffered = new apigateway.LambdaIntegration(fn('api'));
  const streaming = new apigateway.LambdaIntegration(fn('download'), {
    responseTransferMode: apigateway.ResponseTransferMode.STREAM,
    timeout: Duration.minutes(5),
  });
  objects.addMethod('ANY', buffered, { authorizer });
  objects.addMethod('GET', streaming, { authorizer });
  api.addGatewayResponse('Unauthorized', {
    type: apigateway.ResponseType.UNAUTHORIZED,
    responseHeaders: { 'WWW-Authenticate': "'Bearer'" },
    templates: { 'application/json': '{"error":{"request_id":"$context.requestId"}}' },
  });
  app.synth();
  return resolveStack(loadStack(outdir, 'Synthesized'));
}

test('a synthesized API has its routes, streaming, authorizer, permissions and gateway responses', async () => {
  const invoked = functions({
    api: () => ({ statusCode: 201, body: 'buffered' }),
    download: () => streamed({ statusCode: 200 }, 'streamed'),
    authorizer: () => allow(),
  });
  const stack = synthesize();
  const invoker = byLogicalId(invoked, stack);
  const api = await startRestApi({ stack, invoker, port: 0 });
  try {
    const port = Number(new URL(api.baseUrl).port);
    const key = ['Authorization: Bearer abc'];
    expect(await send(port, 'PUT /objects/b/k', key, 'x')).toMatchObject({
      status: 201,
      text: 'buffered',
    });
    expect(await send(port, 'GET /objects/b/a%2Fk', key)).toMatchObject({
      status: 200,
      text: 'streamed',
    });
    const event = JSON.parse(invoked.calls('download')[0] ?? '');
    expect(event.pathParameters).toEqual({ bucket: 'b', key: 'a%2Fk' });
    expect(event.stageVariables).toEqual({ colour: 'blue' });
    expect(event.requestContext.authorizer.principalId).toBe('ada');
    const refused = await send(port, 'GET /objects/b/k');
    expect(refused.status).toBe(401);
    expect(refused.header('WWW-Authenticate')).toBe('Bearer');
    expect(JSON.parse(refused.text)).toEqual({
      error: { request_id: refused.header('x-amzn-RequestId') },
    });
  } finally {
    await api.stop();
  }
});

test('an API of type EDGE, the default of CDK, runs as a regional one, with a note', async () => {
  const outdir = useFolder();
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  const scope = new Stack(app, 'Default');
  const handler = new lambda.Function(scope, 'api', {
    runtime: lambda.Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline('exports.handler = () => {}'),
  });
  new apigateway.RestApi(scope, 'Api').root.addMethod(
    'GET',
    new apigateway.LambdaIntegration(handler),
  );
  app.synth();
  const stack = resolveStack(loadStack(outdir, 'Default'));
  const invoker = byLogicalId(functions({ api: () => ({ statusCode: 204 }) }), stack);
  const api = await startRestApi({ stack, invoker, port: 0 });
  try {
    expect((await send(Number(new URL(api.baseUrl).port), 'GET /')).status).toBe(204);
    expect(api.note).toMatch(/^Api\w* is a REST API of type EDGE, which runs as REGIONAL here$/);
  } finally {
    await api.stop();
  }
});

/** Removes the hash that CDK appends to the id of a function. */
function byLogicalId(invoker: Invoker, { resources }: ResolvedStack): Invoker {
  const short = (arn: string) => {
    const found = [...resources.values()].find((resource) => resource.arn === arn);
    return functionArn(found?.logicalId.replace(/[0-9A-F]{8}$/, '') ?? arn);
  };
  return {
    ...invoker,
    invoke: (arn, payload) => invoker.invoke(short(arn), payload),
    invokeStream: (arn, payload) => invoker.invokeStream(short(arn), payload),
  };
}
