import { type InvokeCommandInput, Lambda } from '@aws-sdk/client-lambda';
import { UserError } from '../../src/errors/user-error';
import { createStackIam } from '../../src/iam/stack-iam';
import { startLambdaEndpoint } from '../../src/services/lambda/endpoint';
import { afterTest } from '../support/clean-up';
import { failure } from '../support/failure';
import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

const FN = functionArn('Fn');
const ROLE = 'arn:aws:iam::000000000000:role/role';

/** An alias of the function `Fn`. */
const alias = (name: string, properties: Readonly<Record<string, unknown>> = {}) => ({
  Type: 'AWS::Lambda::Alias',
  Properties: {
    FunctionName: { Ref: 'Fn' },
    FunctionVersion: '$LATEST',
    Name: name,
    ...properties,
  },
});

const mayInvoke = (...resources: unknown[]) => ({
  Type: 'AWS::IAM::Policy',
  Properties: {
    PolicyName: 'invoke',
    Roles: [{ Ref: 'Role' }],
    PolicyDocument: {
      Statement: [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: resources }],
    },
  },
});

function stackOf(others: Readonly<Record<string, unknown>>) {
  return functionStack({ Fn: { Handler: 'buffered.handler' } }, others);
}

/** Starts the endpoint of a stack. `call` invokes with the credentials of the stack's role. */
async function useEndpoint(others: Readonly<Record<string, unknown>>) {
  const stack = stackOf(others);
  const iam = createStackIam(stack, 'seed');
  const lambda = useLambda(stack);
  const { endpoint, stop } = await startLambdaEndpoint({
    stack,
    iam,
    invoker: Promise.resolve(lambda),
  });
  afterTest(stop);
  const clientOf = (credentials = iam.credentialsForRole(ROLE)) => {
    const client = new Lambda({
      endpoint,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    afterTest(() => client.destroy());
    return async (FunctionName: string, event: unknown, more: Partial<InvokeCommandInput> = {}) => {
      const Payload = JSON.stringify(event);
      const response = await client.invoke({ FunctionName, Payload, ...more });
      const text = response.Payload?.transformToString() ?? '';
      return { ...response, result: text === '' ? undefined : JSON.parse(text) };
    };
  };
  return { iam, endpoint, clientOf, call: clientOf() };
}

const denied = (resource: string) => ({
  name: 'AccessDeniedException',
  message: expect.stringContaining(
    `User: ${ROLE} is not authorized to perform: lambda:InvokeFunction on resource: "${resource}"`,
  ),
  $metadata: expect.objectContaining({ httpStatusCode: 403 }),
});

test('the context of a function has the ARN of the invocation, with its alias', async () => {
  const { call } = await useEndpoint({
    Read: alias('read'),
    Policy: mayInvoke(FN, `${FN}:*`),
  });
  const invokedAs = async (...args: [string, InvokeCommandInput['Qualifier']?]) =>
    (await call(args[0], { do: 'invokedAs' }, { Qualifier: args[1] })).result;

  expect(await invokedAs('Fn')).toBe(FN);
  expect(await invokedAs(FN)).toBe(FN);
  expect(await invokedAs('Fn:$LATEST')).toBe(`${FN}:$LATEST`);
  expect(await invokedAs('Fn:read')).toBe(`${FN}:read`);
  expect(await invokedAs(`${FN}:read`)).toBe(`${FN}:read`);
  expect(await invokedAs('Fn', 'read')).toBe(`${FN}:read`);
});

test('Ref of an alias returns its ARN, and its grant permits no other address', async () => {
  const { call, clientOf, iam } = await useEndpoint({
    Read: alias('read'),
    Write: alias('write'),
    Policy: mayInvoke({ Ref: 'Read' }),
  });
  const event = { do: 'invokedAs' };
  expect((await call('Fn:read', event)).result).toBe(`${FN}:read`);

  for (const name of ['Fn:write', `${FN}:write`, 'Fn:$LATEST', 'Fn', 'Fn:readonly', 'Other:read']) {
    const resource = name.startsWith('arn:') ? name : functionArn(name);
    expect(await failure(call(name, event))).toMatchObject(denied(resource));
  }
  expect(await failure(call('Fn', event, { Qualifier: 'write' }))).toMatchObject(
    denied(`${FN}:write`),
  );
  expect(await failure(call('Fn:read', event, { Qualifier: 'write' }))).toMatchObject({
    name: 'InvalidParameterValueException',
  });
  const developer = clientOf(iam.root);
  expect((await developer('Fn:write', event)).result).toBe(`${FN}:write`);
  expect(await failure(developer('Fn:none', event))).toMatchObject({
    name: 'ResourceNotFoundException',
    $metadata: expect.objectContaining({ httpStatusCode: 404 }),
  });
});

test('distinguishes a failed function from a refused call', async () => {
  const { call, clientOf, iam, endpoint } = await useEndpoint({ Policy: mayInvoke(FN) });
  expect(await call('Fn', { do: 'throw' })).toMatchObject({
    StatusCode: 200,
    FunctionError: 'Unhandled',
    result: { errorType: 'RangeError', errorMessage: 'out of range' },
  });
  expect(await failure(call('Fn', '', { Payload: '{' }))).toMatchObject({
    name: 'InvalidRequestContentException',
  });
  expect(await failure(call('Fn', 'x'.repeat(6_300_000)))).toMatchObject({
    name: 'RequestTooLargeException',
  });
  expect(await failure(call('Fn', {}, { InvocationType: 'DryRun' }))).toMatchObject({
    name: 'InvalidParameterValueException',
  });
  const forger = clientOf({ ...iam.root, secretAccessKey: 'guessed' });
  expect(await failure(forger('Fn', {}))).toMatchObject({ name: 'InvalidSignatureException' });
  expect((await fetch(endpoint, { method: 'POST' })).status).toBe(404);
});

test('an invocation of type Event returns before the function ends', async () => {
  const { call } = await useEndpoint({ Policy: mayInvoke(FN) });
  const queued = await call('Fn', { do: 'nothing' }, { InvocationType: 'Event' });
  expect(queued).toMatchObject({ StatusCode: 202, result: undefined });
});

test('the service refuses an alias of a version other than the latest', () => {
  const start = () => useLambda(stackOf({ One: alias('one', { FunctionVersion: '1' }) }));
  expect(start).toThrow(UserError);
  expect(start).toThrow('One.FunctionVersion');
});
