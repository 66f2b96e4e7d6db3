/** Who can reach the tables besides the developer: other users of the machine, and web pages. */
import { otherUsers } from '../../src/services/dynamodb/engine/other-users';
import { NOTES, useClient, useService } from './service';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
alice:x:1000:1000:Alice,,,:/home/alice:/bin/bash
robot:x:1001:1001::/home/robot:/bin/false
bob:x:1002:1002::/home/bob:/usr/bin/zsh
`;

test.each([
  [1000, ['bob']],
  [1002, ['alice']],
  [0, ['alice', 'bob']],
])('otherUsers names the people who may log in, except user %d', (own, expected) => {
  expect(otherUsers(PASSWD, own)).toEqual(expected);
});

test('otherUsers names nobody on a machine of one person', () => {
  const alone = PASSWD.split('\n').filter((line) => !line.startsWith('bob'));
  expect(otherUsers(alone.join('\n'), 1000)).toEqual([]);
});

const PAGE = { Origin: 'https://evil.example' };

/** What a page may send without asking first, and what its browser asks before anything else. */
const REQUESTS: readonly (readonly [string, RequestInit])[] = [
  ['a preflight', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } }],
  ['a request for a page', { method: 'GET' }],
  ['a scan as plain text', { method: 'POST', body: JSON.stringify({ TableName: NOTES.name }) }],
  [
    'a write with the header of the operation',
    {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        'X-Amz-Target': 'DynamoDB_20120810.PutItem',
      },
      body: JSON.stringify({
        TableName: NOTES.name,
        Item: { id: { S: 'evil' }, n: { N: '1' } },
      }),
    },
  ],
];

test.each(REQUESTS)('the page of another origin gets nothing by %s', async (_name, request) => {
  const { endpoint } = await useService();
  const headers = { ...PAGE, ...request.headers };
  const response = await fetch(endpoint, { ...request, headers });
  expect(response.status).toBeGreaterThanOrEqual(400);
  const allowed = [...response.headers.keys()].filter((name) => name.startsWith('access-control'));
  expect(allowed).toEqual([]);
  expect(await response.text()).not.toContain(NOTES.name);
  const client = useClient(endpoint);
  const { TableNames } = await client.listTables({});
  expect(TableNames).toContain(NOTES.name);
  expect((await client.scan({ TableName: NOTES.name })).Count).toBe(0);
});
