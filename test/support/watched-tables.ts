import type { DynamoTables } from '../../adapters/dynamodb/tables/dynamo-tables';

/** `GetItem`, `TransactWriteItems` … just before it leaves and just after its response came. */
export type WatchCall = (call: string, when: 'before' | 'after') => Promise<void> | void;

/** The same tables; an error that `watch` throws is that of the call. */
export function watchedTables(tables: DynamoTables, watch: WatchCall): DynamoTables {
  return new Proxy(tables, {
    get: (target, name: keyof DynamoTables) => {
      const call = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      return async (input: never) => {
        await watch(call, 'before');
        const output = await target[name](input);
        await watch(call, 'after');
        return output;
      };
    },
  });
}
