import { useLambda } from './service';
import { functionArn, functionStack } from './stack';

function useFunction(options = {}) {
  const lambda = useLambda(functionStack({ Fn: { Handler: 'buffered.handler' } }), options);
  return async (doing: string) => {
    const { payload } = await lambda.invoke(functionArn('Fn'), JSON.stringify({ do: doing }));
    return JSON.parse(payload);
  };
}

test('an environment whose credentials are about to end is replaced after its invocation', async () => {
  const lasting = useFunction();
  expect(await lasting('count')).toBe(1);
  expect(await lasting('count')).toBe(2);

  const ending = useFunction({ credentialLife: 900_000 });
  const { AWS_SESSION_TOKEN: first } = await ending('env');
  expect(await ending('count')).toBe(1);
  expect((await ending('env')).AWS_SESSION_TOKEN).not.toBe(first);
});
