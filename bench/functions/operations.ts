/** The measured invocations of the handlers, as events of API Gateway. */
import { BUCKETS } from '../plan';

export const HANDLERS = ['api', 'download', 'changes', 'authorizer'] as const;

export type HandlerName = (typeof HANDLERS)[number];

export interface HandlerOperation {
  readonly name: string;
  readonly handler: HandlerName;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Behind the base path. `{n}` stands for a number that is new for each invocation. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Bytes of a random body, or a JSON body. */
  readonly body?: number | Readonly<Record<string, string>>;
  readonly status: number;
  /** Invocations of a round. */
  readonly count: number;
  /** Creates the object first, outside of what is measured. */
  readonly createsFirst?: true;
}

const MIB = 1024 * 1024;
const OBJECTS = `/objects/${BUCKETS.http}`;

export const HANDLER_OPERATIONS: readonly HandlerOperation[] = [
  {
    name: 'PUT 1 KiB',
    handler: 'api',
    method: 'PUT',
    path: `${OBJECTS}/handler/put/{n}`,
    body: 1024,
    status: 201,
    count: 100,
  },
  {
    name: 'GET 1 KiB',
    handler: 'download',
    method: 'GET',
    path: `${OBJECTS}/read/1024/0`,
    status: 200,
    count: 200,
  },
  {
    name: 'HEAD',
    handler: 'download',
    method: 'HEAD',
    path: `${OBJECTS}/read/1024/0`,
    status: 200,
    count: 300,
  },
  {
    name: 'list of 100',
    handler: 'api',
    method: 'GET',
    path: `/objects/${BUCKETS.listed}`,
    query: { limit: '100' },
    status: 200,
    count: 60,
  },
  {
    name: '100 changes',
    handler: 'changes',
    method: 'GET',
    path: '/sync',
    query: { bucket: BUCKETS.listed, cursor: '0', limit: '100' },
    status: 200,
    count: 50,
  },
  {
    name: 'signed GET',
    handler: 'api',
    method: 'POST',
    path: '/signed-url',
    body: { method: 'GET', bucket: BUCKETS.http, key: 'read/1024/0' },
    status: 201,
    count: 200,
  },
  {
    name: 'signed PUT',
    handler: 'api',
    method: 'POST',
    path: '/signed-url',
    body: { method: 'PUT', bucket: BUCKETS.http, key: 'handler/signed' },
    status: 201,
    count: 150,
  },
  {
    name: 'DELETE',
    handler: 'api',
    method: 'DELETE',
    path: `${OBJECTS}/handler/delete/{n}`,
    status: 200,
    count: 100,
    createsFirst: true,
  },
  {
    name: 'PUT 4 MiB',
    handler: 'api',
    method: 'PUT',
    path: `${OBJECTS}/handler/large/{n}`,
    body: 4 * MIB,
    status: 201,
    count: 10,
  },
  {
    name: 'GET 4 MiB',
    handler: 'download',
    method: 'GET',
    path: `${OBJECTS}/read/${4 * MIB}/0`,
    status: 200,
    count: 20,
  },
  {
    name: 'authorizer',
    handler: 'authorizer',
    method: 'GET',
    path: '',
    status: 200,
    count: 300,
  },
];
