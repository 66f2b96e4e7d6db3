/**
 * Who may do what, generated: each request of the storage interface, by callers with permissions of
 * all kinds and by those without a valid key, on objects inside and outside of what they may see.
 * The rules (rules.ts) say whether the caller is refused. A caller that is not gets what the holder
 * of every permission gets; one that is refused changes nothing.
 */
import { createDocument } from '../../../openapi/document';
import { ACTIONS, ALL } from './callers';
import { bearer, type Caller, GRANTS, invalidCredentials, KINDS } from './credentials';
import { wronglyShown } from './lists';
import { type NamedRequest, OPERATIONS, PLAIN, REQUESTS, type Resources } from './operations';
import { decide } from './rules';
import { type AuthorizedService, openService, Stored } from './service';
import { makeResources } from './world';

let service: AuthorizedService;
let root: string;
let resources: readonly Resources[];
let made: Stored;

beforeAll(async () => {
  service = openService(GRANTS);
  root = service.addKey(ALL).text;
  resources = await makeResources((asked) => service.ask(bearer(root), asked));
  made = new Stored(service.deps.state);
});

// A link that is tried as a key would be in the lists of the next test.
afterEach(() => made.restore());

/** A request about a target, and what the rules and the holder of every permission expect of it. */
interface Cell extends NamedRequest {
  readonly target: Resources;
  readonly text: string;
}

/** The different requests about the targets. */
function cells(requests: readonly NamedRequest[]): readonly Cell[] {
  const all = requests.flatMap((one) =>
    resources.map((target): [string, Cell] => {
      const { method, path, query, body } = one.request(target);
      const text = [method, path, JSON.stringify(query ?? {}), body].join(' ');
      return [text, { ...one, target, text }];
    }),
  );
  return [...new Map(all).values()];
}

/** What is wrong with what the caller gets, if anything is. */
async function wrongFor(
  { credential, permissions }: Caller,
  { operation, request, target }: Cell,
  pristine: Stored,
  { baseline, isNever }: { readonly baseline: number; readonly isNever: boolean },
): Promise<string | undefined> {
  const asked = request(target);
  const decision = isNever ? 'forbidden' : decide(operation, permissions, target);
  const { status, text } = await service.ask(credential, asked);
  const isRead = asked.method === 'GET' || asked.method === 'HEAD';
  const isChanged = !isRead && !pristine.isUnchanged();
  if (isChanged) pristine.restore();
  const expected = { allowed: baseline, forbidden: 403, hidden: 404 }[decision];
  if (status !== expected) return `${status} in place of ${expected}`;
  if (decision !== 'allowed') return isChanged ? 'is refused, and changes something' : undefined;
  if (status !== 200 || asked.method !== 'GET') return undefined;
  return wronglyShown(permissions, { operation, text, target, resources });
}

test('every operation of the OpenAPI document is in the matrix', () => {
  const { paths } = createDocument('0');
  const ids = Object.entries(paths as Record<string, Record<string, { operationId?: string }>>)
    .filter(([path]) => path.startsWith('/api/v2/storage'))
    .flatMap(([, item]) => Object.entries(item))
    .flatMap(([method, { operationId }]) => (method === 'head' ? [] : [operationId ?? []].flat()));
  const known = new Set(OPERATIONS.map(({ name }) => name.split(' ')[0]));
  expect([...known].sort()).toEqual([...ids].sort());
});

test('every action of a permission is in the matrix', async () => {
  const body = JSON.stringify({ permissions: [{ buckets: ['x-1'], actions: ['no such action'] }] });
  const { text } = await service.ask(bearer(root), { method: 'POST', path: '/tokens', body });
  const [, listed = ''] = /must be a list of ([a-z_, ]+)/.exec(text) ?? [];
  expect(listed.split(', ').sort()).toEqual([...ACTIONS].sort());
});

test.each(Object.entries(KINDS))(
  '%s may do what the rules say, and a refused request changes nothing',
  async (name, { callers: makeCallers, everything, never }) => {
    const callers = await makeCallers(service);
    const holder = await everything(service);
    const pristine = new Stored(service.deps.state);
    const wrong: string[] = [];
    const seen = { allowed: 0, forbidden: 0, hidden: 0 };
    for (const cell of cells(name === 'API keys' ? REQUESTS : PLAIN)) {
      const { operation, request, target, text } = cell;
      const { status: baseline } = await service.ask(holder, request(target));
      pristine.restore();
      const isNever = never.includes(operation);
      if ([401, 403].includes(baseline) !== isNever) wrong.push(`${text}: ${baseline}`);
      for (const caller of callers) {
        seen[decide(operation, caller.permissions, target)]++;
        const problem = await wrongFor(caller, cell, pristine, { baseline, isNever });
        if (problem) wrong.push(`${JSON.stringify(caller.permissions)} ${text}: ${problem}`);
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(Math.min(seen.allowed, seen.forbidden, seen.hidden)).toBeGreaterThan(50);
  },
);

test('nobody without a valid key gets anything but 401, and no such request changes anything', async () => {
  const credentials = await invalidCredentials(service);
  const pristine = new Stored(service.deps.state);
  const unknown = { method: 'GET', path: '/nothing' };
  const requests = [...cells(PLAIN).map(({ request, target }) => request(target)), unknown];
  const wrong: string[] = [];
  for (const [name, credential] of Object.entries(credentials)) {
    for (const asked of requests) {
      const { status } = await service.ask(credential, asked);
      if (status !== 401) wrong.push(`${name}: ${asked.method} ${asked.path}: ${status}`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(pristine.isUnchanged()).toBe(true);
});
