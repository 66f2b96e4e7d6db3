import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { createStackIam } from '../../src/iam/stack-iam';
import { startLambdaEndpoint } from '../../src/services/lambda/endpoint';
import { UserError } from '../../src/user-error';
import { cleanUp, functionArn, functionStack, later, useLambda } from './service';

afterEach(cleanUp);

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

/** The endpoint of a stack, spoken to in its role. */
async function useEndpoint(others: Readonly<Record<string, unknown>>) {
  const stack = stackOf(others);
  const iam = createStackIam(stack, 'seed');
  const lambda = useLambda(stack);
  const { endpoint, stop } = await startLambdaEndpoint({
    stack,
    iam,
    invoker: Promise.resolve(lambda),
  });
  later(stop);
  const speak = (credentials = iam.credentialsForRole(ROLE)) => {
    const client = new LambdaClient({
      endpoint,
      region: 'us-east-1',
      credentials,
      maxAttempts: 1,
    });
    later(async () => client.destroy());
    return async (FunctionName: string, event: unknown, more: Partial<InvokeCommandInput> = {}) => {
      const Payload = JSON.stringify(event);
      const answer = await client.send(new InvokeCommand({ FunctionName, Payload, ...more }));
      const text = answer.Payload?.transformToString() ?? '';
      return { ...answer, answer: text === '' ? undefined : JSON.parse(text) };
    };
  };
  return { iam, endpoint, speak, call: speak() };
}

const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error);

const denied = (resource: string) => ({
  name: 'AccessDeniedException',
  message: expect.stringContaining(
    `User: ${ROLE} is not authorized to perform: lambda:InvokeFunction on resource: "${resource}"`,
  ),
  $metadata: expect.objectContaining({ httpStatusCode: 403 }),
});

test('a function is told the ARN by which it was invoked, alias included', async () => {
  const { call } = await useEndpoint({
    Read: alias('read'),
    Policy: mayInvoke(FN, `${FN}:*`),
  });
  const invokedAs = async (...args: [string, InvokeCommandInput['Qualifier']?]) =>
    (await call(args[0], { do: 'invokedAs' }, { Qualifier: args[1] })).answer;

  expect(await invokedAs('Fn')).toBe(FN);
  expect(await invokedAs(FN)).toBe(FN);
  expect(await invokedAs('Fn:$LATEST')).toBe(`${FN}:$LATEST`);
  expect(await invokedAs('Fn:read')).toBe(`${FN}:read`);
  expect(await invokedAs(`${FN}:read`)).toBe(`${FN}:read`);
  expect(await invokedAs('Fn', 'read')).toBe(`${FN}:read`);
});

test('Ref of an alias is its ARN, and a grant of one alias is good for no other address', async () => {
  const { call, speak, iam } = await useEndpoint({
    Read: alias('read'),
    Write: alias('write'),
    Policy: mayInvoke({ Ref: 'Read' }),
  });
  const event = { do: 'invokedAs' };
  expect((await call('Fn:read', event)).answer).toBe(`${FN}:read`);

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
  const developer = speak(iam.root);
  expect((await developer('Fn:write', event)).answer).toBe(`${FN}:write`);
  expect(await failure(developer('Fn:none', event))).toMatchObject({
    name: 'ResourceNotFoundException',
    $metadata: expect.objectContaining({ httpStatusCode: 404 }),
  });
});

test('tells a failed function from a refused call', async () => {
  const { call, speak, iam, endpoint } = await useEndpoint({ Policy: mayInvoke(FN) });
  expect(await call('Fn', { do: 'throw' })).toMatchObject({
    StatusCode: 200,
    FunctionError: 'Unhandled',
    answer: { errorType: 'RangeError', errorMessage: 'out of range' },
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
  const stranger = speak({ ...iam.root, secretAccessKey: 'guessed' });
  expect(await failure(stranger('Fn', {}))).toMatchObject({ name: 'InvalidSignatureException' });
  expect((await fetch(endpoint, { method: 'POST' })).status).toBe(404);
});

test('an event is queued, and answered at once', async () => {
  const { call } = await useEndpoint({ Policy: mayInvoke(FN) });
  const queued = await call('Fn', { do: 'nothing' }, { InvocationType: 'Event' });
  expect(queued).toMatchObject({ StatusCode: 202, answer: undefined });
});

test('an alias of another version than the latest is refused at start', () => {
  const start = () => useLambda(stackOf({ One: alias('one', { FunctionVersion: '1' }) }));
  expect(start).toThrow(UserError);
  expect(start).toThrow('One.FunctionVersion');
});
