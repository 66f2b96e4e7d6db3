/**
 * Handles one request: authenticates it, finds the queue, authorises and performs the operation.
 */
import type { Iam, Principal } from '../../iam/iam';
import { Authenticator, SignatureError, type SignedRequest } from '../../iam/signature';
import type { PostReply } from '../post-endpoint';
import { errorReply, jsonReply, SqsError } from './errors';
import { Input } from './input';
import { OPERATIONS, type Operation } from './operations';
import type { QueueDefinition } from './queue-definition';
import type { Queues } from './queues';

export interface FrontOptions {
  readonly queues: Queues;
  readonly iam: Iam;
  readonly region: string;
  readonly accountId: string;
}

const TARGET = 'AmazonSQS.';

export class Front {
  private readonly authenticator: Authenticator;

  constructor(private readonly options: FrontOptions) {
    this.authenticator = new Authenticator(options.iam, options.region, 'sqs');
  }

  /** `endpoint`: the address of the service. Never rejects. */
  async handle(request: SignedRequest, endpoint: string): Promise<PostReply> {
    try {
      return jsonReply(await this.perform(request, endpoint));
    } catch (error) {
      if (error instanceof SqsError) return errorReply(error);
      if (error instanceof SignatureError) {
        return errorReply(new SqsError(error.code, error.message, 403));
      }
      process.stderr.write(`sqs: ${error instanceof Error ? error.stack : String(error)}\n`);
      return errorReply(new SqsError('InternalFailure', 'Internal failure', 500));
    }
  }

  private async perform(request: SignedRequest, endpoint: string): Promise<unknown> {
    const target = String(request.headers['x-amz-target']);
    const name = target.startsWith(TARGET) ? target.slice(TARGET.length) : '';
    const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
    if (operation === undefined) {
      throw new SqsError('UnknownOperationException', `the emulator does not support ${target}`);
    }
    const principal = this.authenticator.authenticate(request);
    const input = Input.parse(request.body);
    const queue = this.findQueue(input);
    this.authorise(principal, operation, queue);
    const { queues, accountId } = this.options;
    const url = `${endpoint}/${accountId}/${queue.name}`;
    return operation.perform({
      queues,
      queue,
      input: input.only(operation.members),
      caller: principal.arn,
      traceHeader: request.headers['x-amzn-trace-id']?.toString(),
      url,
    });
  }

  /**
   * Finds the queue by the account and the name in its URL. As in AWS, the host of the URL has no
   * effect.
   */
  private findQueue(input: Input): QueueDefinition {
    const [account, name] = input.has('QueueUrl')
      ? segments(input.text('QueueUrl'))
      : [this.options.accountId, input.text('QueueName')];
    const queue = account === this.options.accountId ? this.options.queues.find(name) : undefined;
    if (queue !== undefined) return queue;
    throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.');
  }

  private authorise(principal: Principal, { action }: Operation, queue: QueueDefinition): void {
    const { arn: resource, policy: resourcePolicy } = queue;
    const denial = this.options.iam.denial(principal, { action, resource, resourcePolicy });
    if (denial !== undefined) throw new SqsError('AccessDeniedException', denial, 403);
  }
}

function segments(url: string): readonly [account: string, name: string] {
  if (!URL.canParse(url)) {
    throw new SqsError('InvalidAddress', `The address ${url} is not valid for this endpoint.`, 404);
  }
  const [, account = '', name = '', ...more] = new URL(url).pathname.split('/');
  return [account, more.length === 0 ? name : ''];
}
