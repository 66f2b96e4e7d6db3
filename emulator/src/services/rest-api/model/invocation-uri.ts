import type { ResolvedStack } from '../../../template/model';
import type { Properties } from '../../../template/properties';

const INVOCATION =
  /^arn:[\w-]+:apigateway:[\w-]+:lambda:path\/(?:2015-03-31\/functions\/([^/]+)\/invocations|2021-11-15\/functions\/([^/]+)\/response-streaming-invocations)$/;

/** Reads the invocation URI of a Lambda function, which must be one of the stack. */
export function readInvocation(properties: Properties, name: string, stack: ResolvedStack) {
  const uri = properties.string(name);
  const [, buffered, streamed] = INVOCATION.exec(uri) ?? [];
  const functionArn = buffered ?? streamed;
  if (functionArn === undefined) {
    return properties.refuse(`is not a Lambda invocation URI: ${uri}`, name);
  }
  const exists = [...stack.resources.values()].some(
    ({ type, arn }) => type === 'AWS::Lambda::Function' && arn === functionArn,
  );
  if (!exists) properties.refuse(`names no function of this stack: ${functionArn}`, name);
  return { functionArn, streaming: streamed !== undefined };
}
