/**
 * `npm run smoke -- --base-url URL --key KEY`: judges a deployment within a minute. It tries what
 * can only be assumed until a stack runs in AWS, and says in one line each what it has seen.
 */
import { parseArgs } from 'node:util';
import { localBaseUrl, localKey, UserError } from './local-service';
import type { Check } from './smoke/check';
import { ADDRESS_CHECKS } from './smoke/checks/addresses-and-clock';
import { CHANGE_CHECKS } from './smoke/checks/changes';
import { OBJECT_CHECKS } from './smoke/checks/objects';
import { RATE_LIMIT_CHECK, REFUSAL_CHECKS } from './smoke/checks/refusals';
import { UPLOAD_CHECKS } from './smoke/checks/uploads';
import { Service } from './smoke/service';
import { closeConnections } from './smoke/wire';

const USAGE = `usage: smoke [options]

Tries out a deployment, in a bucket of its own that it deletes at the end. Prints a line for each
assumption: ok, FAIL, or note for what is only reported. Exits with 0 when none has failed.

  --base-url URL    where the service is: the output BaseUrl (default: the local service)
  --key KEY         an API key with all permissions
                    (default: STOWAGE_API_KEY, or the first key of the local service)
  --api-url URL     the output ApiUrl: tries to pass the edge by
  --only TEXT       only the assumptions that contain TEXT
  --data FOLDER     the data folder of the local service (default: .local)`;

const CHECKS: readonly Check[] = [
  ...ADDRESS_CHECKS,
  ...OBJECT_CHECKS,
  ...REFUSAL_CHECKS,
  ...CHANGE_CHECKS,
  ...UPLOAD_CHECKS,
  RATE_LIMIT_CHECK,
];

type Verdict = 'ok' | 'note' | 'FAIL';

function parse(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'base-url': { type: 'string' },
      key: { type: 'string' },
      'api-url': { type: 'string' },
      only: { type: 'string', default: '' },
      data: { type: 'string', default: '.local' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return undefined;
  const baseUrl = (values['base-url'] ?? localBaseUrl(values.data)).replace(/\/$/, '');
  const apiUrl = values['api-url'];
  for (const url of [baseUrl, apiUrl]) {
    if (url !== undefined && !/^https?:\/\/[^/?#]+/.test(url)) {
      throw new UserError(`${url} is no address such as https://files.example.com`);
    }
  }
  const checks = CHECKS.filter(({ assumption }) => assumption.includes(values.only));
  if (checks.length === 0) throw new UserError(`no assumption contains "${values.only}"`);
  return { checks, target: { baseUrl, apiUrl, apiKey: values.key ?? localKey(values.data) } };
}

async function judge(service: Service, { assumption, run }: Check): Promise<Verdict> {
  let verdict: Verdict = 'FAIL';
  let text: string;
  try {
    const seen = await run(service);
    verdict = seen.isJudged ? 'ok' : 'note';
    text = seen.text;
  } catch (error) {
    text = error instanceof Error ? error.message : String(error);
  }
  // Nothing that the deployment sends may break the line or command the terminal.
  const line = `${verdict.padEnd(5)} ${assumption}: ${text}`.replace(/\p{Cc}+/gu, ' ');
  process.stdout.write(`${line}\n`);
  return verdict;
}

const CREATED: Check = {
  assumption: 'a bucket can be created',
  run: async (service) => {
    await service.createBucket();
    return { text: service.bucket, isJudged: true };
  },
};

const REMOVED: Check = {
  assumption: 'everything can be deleted, and DELETE of a bucket ends with 204',
  run: async (service) => {
    await service.removeBucket();
    return { text: `${service.bucket} is gone`, isJudged: true };
  },
};

async function judgeAll(service: Service, checks: readonly Check[], stop: AbortSignal) {
  const verdicts = [await judge(service, CREATED)];
  if (verdicts[0] === 'FAIL') {
    // It may exist in spite of the response.
    await service.removeBucket().catch(() => undefined);
    return verdicts;
  }
  for (const check of checks) {
    if (!stop.aborted) verdicts.push(await judge(service, check));
  }
  verdicts.push(await judge(service, REMOVED));
  return verdicts;
}

async function main(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof parse>;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}\n`);
    return 2;
  }
  if (options === undefined) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const stop = new AbortController();
  // The bucket is removed before the command ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const verdicts = await judgeAll(new Service(options.target), options.checks, stop.signal);
  closeConnections();
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  process.stdout.write(
    `${count('ok')} as assumed, ${count('note')} only reported, ${count('FAIL')} failed\n`,
  );
  return count('FAIL') === 0 && !stop.signal.aborted ? 0 : 1;
}

void main(process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
