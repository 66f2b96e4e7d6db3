/** Responses that the engine does not give as AWS does. */
import { isRecord, type Json } from '../../values/json';
import { jsonReply, type Reply } from './protocol/errors';
import { parseJson } from './protocol/request-shape';
import { streamArn, type TableDefinition } from './tables/table-definition';

const ENGINE_ARN = /arn:aws:dynamodb:[\w-]+:\d{12}:table\//g;

/** Completes the engine's description of a table: ARNs with region and account, and the stream. */
export function describeTable(
  reply: Reply,
  place: { readonly region: string; readonly accountId: string },
  definition: TableDefinition | undefined,
): Reply {
  if (reply.status !== 200) return reply;
  const prefix = `arn:aws:dynamodb:${place.region}:${place.accountId}:table/`;
  const response = parseJson(Buffer.from(reply.body.toString().replace(ENGINE_ARN, prefix)));
  const { Table } = response;
  if (!isRecord(Table) || definition?.stream === undefined) return jsonReply(response);
  const arn = streamArn(String(Table.TableArn));
  return jsonReply({
    Table: {
      ...Table,
      StreamSpecification: { StreamEnabled: true, StreamViewType: definition.stream },
      LatestStreamArn: arn,
      LatestStreamLabel: arn.slice(arn.lastIndexOf('/') + 1),
    },
  });
}

export function describeTimeToLive({ ttlAttribute }: TableDefinition): Reply {
  return jsonReply({
    TimeToLiveDescription:
      ttlAttribute === undefined
        ? { TimeToLiveStatus: 'DISABLED' }
        : { TimeToLiveStatus: 'ENABLED', AttributeName: ttlAttribute },
  });
}

/**
 * Reduces a batch request to its first entry. `complete` adds the others to the response, as
 * unprocessed.
 */
export function firstEntryOnly(
  operation: string,
  request: Json,
): { first: Json; complete: (reply: Reply) => Reply } {
  const first: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [table, entries] of Object.entries(request.RequestItems as Json)) {
    const keys = isRecord(entries) ? entries.Keys : entries;
    const list = Array.isArray(keys) ? keys : [];
    const taken = Object.keys(first).length === 0 ? 1 : 0;
    const part = (some: unknown[]) => (isRecord(entries) ? { ...entries, Keys: some } : some);
    if (taken > 0) first[table] = part(list.slice(0, taken));
    if (list.length > taken) rest[table] = part(list.slice(taken));
  }
  const member = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  return {
    first: { ...request, RequestItems: first },
    complete: (reply) =>
      reply.status === 200 ? jsonReply({ ...parseJson(reply.body), [member]: rest }) : reply,
  };
}
