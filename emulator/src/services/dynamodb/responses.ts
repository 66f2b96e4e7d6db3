/** Answers that the engine cannot give as AWS does. */
import { isRecord, type Json } from '../../template/json';
import { jsonReply, type Reply } from './errors';
import { parseJson } from './request-shape';
import { streamArn, type TableDefinition } from './table-definition';

const ENGINE_ARN = /arn:aws:dynamodb:[\w-]+:\d{12}:table\//g;

/** With ARNs of the region and account, and the stream that the engine knows nothing of. */
export function describeTable(
  reply: Reply,
  place: { readonly region: string; readonly accountId: string },
  definition: TableDefinition | undefined,
): Reply {
  if (reply.status !== 200) return reply;
  const prefix = `arn:aws:dynamodb:${place.region}:${place.accountId}:table/`;
  const answer = parseJson(Buffer.from(reply.body.toString().replace(ENGINE_ARN, prefix)));
  const { Table } = answer;
  if (!isRecord(Table) || definition?.stream === undefined) return jsonReply(answer);
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

/** Splits a batch request: the first entry is done, the others are answered as unprocessed. */
export function withoutUnprocessed(
  operation: string,
  request: Json,
): { done: Json; answer: (reply: Reply) => Reply } {
  const done: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [table, entries] of Object.entries(request.RequestItems as Json)) {
    const keys = isRecord(entries) ? entries.Keys : entries;
    const list = Array.isArray(keys) ? keys : [];
    const taken = Object.keys(done).length === 0 ? 1 : 0;
    const part = (some: unknown[]) => (isRecord(entries) ? { ...entries, Keys: some } : some);
    if (taken > 0) done[table] = part(list.slice(0, taken));
    if (list.length > taken) rest[table] = part(list.slice(taken));
  }
  const member = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
  return {
    done: { ...request, RequestItems: done },
    answer: (reply) =>
      reply.status === 200 ? jsonReply({ ...parseJson(reply.body), [member]: rest }) : reply,
  };
}
