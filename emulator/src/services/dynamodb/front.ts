/** Handles one request: authenticates, parses, authorises, checks and forwards it to the engine. */
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Iam, Principal } from '../../iam/iam';
import { Authenticator, SignatureError } from '../../iam/signature';
import type { Json } from '../../values/json';
import { type Engine, EngineUnreachable } from './engine/engine';
import { type Fault, type Faults, faultError } from './faults';
import { leadingKeys } from './leading-keys';
import { DynamoDbError, errorReply, type Reply } from './protocol/errors';
import { findOperation, type Need } from './protocol/operations';
import { checkRequest } from './protocol/request-rules';
import { parseJson } from './protocol/request-shape';
import { describeTable, describeTimeToLive, firstEntryOnly } from './responses';
import type { Streams } from './streams/streams';
import { streamWrites } from './streams/writes';
import type { TableDefinition } from './tables/table-definition';

export interface FrontOptions {
  readonly engine: Engine;
  readonly streams: Streams;
  readonly tables: readonly TableDefinition[];
  readonly iam: Iam;
  readonly region: string;
  readonly accountId: string;
  readonly faults?: Faults;
}

/** A POST to `/`; DynamoDB has no other requests. */
export interface FrontRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `lost`: the connection is closed without a response. */
export type Outcome = Reply | 'lost';

const TARGET = 'DynamoDB_20120810.';

export class Front {
  private readonly authenticator: Authenticator;
  private readonly streamTables: ReadonlyMap<string, TableDefinition>;
  private readonly tables: ReadonlyMap<string, TableDefinition>;

  constructor(private readonly options: FrontOptions) {
    this.authenticator = new Authenticator(options.iam, options.region, 'dynamodb');
    this.tables = new Map(options.tables.map((table) => [table.name, table]));
    this.streamTables = new Map([...this.tables].filter(([, table]) => table.stream !== undefined));
  }

  /** Never rejects. */
  async handle(request: FrontRequest): Promise<Outcome> {
    try {
      return await this.respond(request);
    } catch (error) {
      if (error instanceof DynamoDbError) return errorReply(error);
      if (error instanceof SignatureError) {
        return errorReply(new DynamoDbError(error.code, error.message));
      }
      if (!(error instanceof EngineUnreachable)) {
        process.stderr.write(`dynamodb: ${error instanceof Error ? error.stack : String(error)}\n`);
      }
      return errorReply(new DynamoDbError('InternalServerError', 'Internal server error', {}, 500));
    }
  }

  /** Deletes an expired item in the name of the service. */
  async expire(table: TableDefinition, request: Json): Promise<void> {
    const body = Buffer.from(JSON.stringify(request));
    const reply = await this.forward('DeleteItem', request, body, true);
    if (reply.status === 200) return;
    const [, code = ''] = String(parseJson(reply.body).__type).split('#');
    throw new DynamoDbError(code, `${table.name}: ${reply.body}`);
  }

  private async respond({ headers, body }: FrontRequest): Promise<Outcome> {
    const target = String(headers['x-amz-target']);
    const name = target.startsWith(TARGET) ? target.slice(TARGET.length) : '';
    const operation = findOperation(name);
    if (operation === undefined) {
      throw new DynamoDbError(
        'UnknownOperationException',
        `the emulator does not support ${target}`,
      );
    }
    const principal = this.authenticator.authenticate({
      method: 'POST',
      path: '/',
      headers,
      body,
    });
    const request = parseJson(body);
    const needs = operation.needs?.(request);
    this.authorise(principal, name, needs);
    checkRequest(name, operation, request);
    const fault = this.options.faults?.next({
      operation: name,
      tables: (needs ?? []).map((need) => need.table),
      caller: principal.arn,
    });
    return fault === undefined
      ? this.perform(name, request, body)
      : this.performWith(fault, name, request, body);
  }

  private authorise(principal: Principal, name: string, needs: readonly Need[] | undefined): void {
    if (principal.root) return;
    const { region, accountId } = this.options;
    const tables = `arn:aws:dynamodb:${region}:${accountId}:table/`;
    for (const need of needs ?? [{ action: `dynamodb:${name}`, table: '*' }]) {
      const index = need.index === undefined ? '' : `/index/${need.index}`;
      const resource = `${tables}${need.table}${index}`;
      const keys = leadingKeys(need, this.tables.get(need.table));
      const denial =
        needs === undefined
          ? `User: ${principal.arn} is not authorized to perform: ${need.action} on resource: ${resource} because the emulator allows it for the developer's credentials only`
          : this.options.iam.denial(principal, {
              action: need.action,
              resource,
              context: keys === undefined ? {} : { 'dynamodb:leadingkeys': keys },
            });
      if (denial !== undefined) throw new DynamoDbError('AccessDeniedException', denial);
    }
  }

  private perform(name: string, request: Json, body: Buffer): Promise<Reply> {
    const table = this.tables.get(String(request.TableName));
    switch (name) {
      case 'DescribeTimeToLive':
        if (table !== undefined) return Promise.resolve(describeTimeToLive(table));
        break;
      case 'CreateTable':
      case 'DeleteTable':
      case 'DescribeTable':
        return this.forward(name, request, body).then((reply) =>
          describeTable(reply, this.options, table),
        );
    }
    return this.forward(name, request, body);
  }

  private forward(name: string, request: Json, body: Buffer, expired = false): Promise<Reply> {
    const forward = () => this.options.engine.forward(name, body);
    const writes =
      this.streamTables.size === 0 ? [] : streamWrites(name, request, this.streamTables);
    if (writes.length === 0) return forward();
    const token = request.ClientRequestToken;
    return this.options.streams.perform(writes, {
      token: typeof token === 'string' ? token : undefined,
      expired,
      forward,
    });
  }

  private async performWith(
    fault: Fault,
    name: string,
    request: Json,
    body: Buffer,
  ): Promise<Outcome> {
    if (fault.delayMilliseconds !== undefined) await delay(fault.delayMilliseconds);
    switch (fault.kind) {
      case undefined:
        return this.perform(name, request, body);
      case 'ConnectionLost':
        return 'lost';
      case 'ConnectionLostAfter':
        await this.perform(name, request, body);
        return 'lost';
      case 'InternalServerErrorAfter':
        await this.perform(name, request, body);
        throw faultError(fault.kind, name, 0);
      case 'Unprocessed': {
        const { first, complete } = firstEntryOnly(name, request);
        const firstBody = Buffer.from(JSON.stringify(first));
        return complete(await this.perform(name, first, firstBody));
      }
      default: {
        const entries = request.TransactItems;
        throw faultError(fault.kind, name, Array.isArray(entries) ? entries.length : 0);
      }
    }
  }
}
