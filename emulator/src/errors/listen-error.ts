import { isRecord } from '../values/json';
import { UserError } from './user-error';

/** The flag that moves the port of a service. */
const FLAGS: Readonly<Record<string, string>> = {
  'the REST API': '--port',
  S3: '--s3-port',
  DynamoDB: '--dynamodb-port',
  SQS: '--sqs-port',
  'sign-in': '--oidc-port',
};

/** Returns the error of `listen` as one that says what to do; any other error as it is. */
export function listenError(error: unknown, port: number, service: string): unknown {
  const code = isRecord(error) ? error.code : undefined;
  const flag = FLAGS[service];
  const other = `${flag === undefined ? '' : `choose another with ${flag}, or `}move all ports with --ports`;
  if (code === 'EADDRINUSE') {
    return new UserError(`port ${port} for ${service} is taken: ${other}`, { cause: error });
  }
  if (code === 'EACCES') {
    return new UserError(`this user may not open port ${port} for ${service}: ${other}`, {
      cause: error,
    });
  }
  return error;
}
