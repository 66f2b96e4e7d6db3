/** What lists show, compared with the rules. */
import type { Resources } from './operations';
import { decide, type Granted, seesTotals, shown } from './rules';
import { isAbsent } from './world';

interface Listed {
  readonly operation: string;
  /** Of the response to a GET. */
  readonly text: string;
  readonly target: Resources;
  /** All that there is. */
  readonly resources: readonly Resources[];
}

interface BucketView {
  readonly name: string;
  readonly object_count?: number;
}

const listed = (items: readonly { readonly key: string }[]) =>
  items
    .map(({ key }) => key)
    .sort()
    .join(', ');

/** What is wrong with what the response shows to the holder of the permissions, if anything is. */
export function wronglyShown(
  who: readonly Granted[],
  { operation, text, target, resources }: Listed,
): string | undefined {
  const here = resources.filter((one) => one.bucket === target.bucket && !isAbsent(one));
  const differ = (found: string, expected: string) =>
    found === expected ? undefined : `shows "${found}" in place of "${expected}"`;
  switch (operation) {
    case 'listObjects': {
      const all = here.filter(({ key }) => key.startsWith(target.prefix));
      return differ(listed(JSON.parse(text).objects), listed(shown('list', who, all)));
    }
    case 'listLinks':
      return differ(listed(JSON.parse(text).links), listed(shown('sign', who, here)));
    case 'listConsumers': {
      const all = here.map((one) => ({ ...one, key: one.prefix }));
      const { consumers } = JSON.parse(text) as { consumers: { prefix: string }[] };
      const found = consumers.map(({ prefix: key }) => ({ key }));
      return differ(listed(found), listed(shown('sync', who, all)));
    }
    case 'listBuckets': {
      const all = new Set(resources.filter((one) => !isAbsent(one)).map(({ bucket }) => bucket));
      const expected = [...all].filter((name) => sees(who, name)).map((key) => ({ key }));
      const { buckets } = JSON.parse(text) as { buckets: BucketView[] };
      const found = buckets.map(({ name: key }) => ({ key }));
      return differ(listed(found), listed(expected)) ?? wrongTotals(who, buckets);
    }
    case 'getBucket':
      return wrongTotals(who, [JSON.parse(text)]);
    default:
      return undefined;
  }
}

const sees = (who: readonly Granted[], bucket: string) =>
  decide('getBucket', who, { bucket, key: '', prefix: '' }) === 'allowed';

function wrongTotals(who: readonly Granted[], views: readonly BucketView[]): string | undefined {
  const wrong = views.find(
    ({ name, object_count: count }) => (count !== undefined) !== seesTotals(who, name),
  );
  return wrong && `shows ${wrong.object_count} as the number of objects of ${wrong.name}`;
}
