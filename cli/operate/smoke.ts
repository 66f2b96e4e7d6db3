/**
 * `stowage smoke --url URL --key KEY`: judges a deployment within a minute. It tries what
 * can only be assumed until a stack runs in AWS, and says in one line each what it has seen.
 */
import { Reported, UsageError, UserError } from '../shared/errors';
import type { Output } from '../shared/output';
import { findService, requireAddress } from '../shared/service';
import type { Session } from '../shared/session';
import type { SmokeOptions } from './options';
import type { Check } from './smoke/check';
import { ADDRESS_CHECKS } from './smoke/checks/addresses-and-clock';
import { CHANGE_CHECKS } from './smoke/checks/changes';
import { OBJECT_CHECKS } from './smoke/checks/objects';
import { RATE_LIMIT_CHECK, REFUSAL_CHECKS } from './smoke/checks/refusals';
import { UPLOAD_CHECKS } from './smoke/checks/uploads';
import { Service } from './smoke/service';
import { closeConnections } from './smoke/wire';

const CHECKS: readonly Check[] = [
  ...ADDRESS_CHECKS,
  ...OBJECT_CHECKS,
  ...REFUSAL_CHECKS,
  ...CHANGE_CHECKS,
  ...UPLOAD_CHECKS,
  RATE_LIMIT_CHECK,
];

type Verdict = 'ok' | 'note' | 'FAIL';

interface Trial {
  readonly service: Service;
  readonly output: Output;
}

async function judge({ service, output }: Trial, { assumption, run }: Check): Promise<Verdict> {
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
  await output.print({ assumption, verdict: verdict.toLowerCase(), text }, line);
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

async function judgeAll(trial: Trial, checks: readonly Check[], stop: AbortSignal) {
  const verdicts = [await judge(trial, CREATED)];
  if (verdicts[0] === 'FAIL') {
    // The bucket may exist although the response reports a failure.
    await trial.service.removeBucket().catch(() => undefined);
    return verdicts;
  }
  for (const check of checks) {
    if (!stop.aborted) verdicts.push(await judge(trial, check));
  }
  verdicts.push(await judge(trial, REMOVED));
  return verdicts;
}

/** Throws UserError, also when something has failed. */
export async function smokeCommand(session: Session, options: SmokeOptions): Promise<void> {
  const { output, signal } = session;
  const { baseUrl: url = session.options.url, apiUrl, only } = options;
  const { url: baseUrl, key: apiKey } = findService({ ...session.options, url });
  if (apiUrl !== undefined) requireAddress(apiUrl, session.options);
  const checks = CHECKS.filter(({ assumption }) => assumption.includes(only));
  if (checks.length === 0) throw new UsageError(`no assumption contains "${only}"`);
  const service = new Service({ baseUrl, apiUrl, apiKey });
  // After an interruption, too, the bucket is removed before the command ends.
  const verdicts = await judgeAll({ service, output }, checks, signal);
  closeConnections();
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  const [ok, note, failed] = [count('ok'), count('note'), count('FAIL')];
  await output.print(
    { ok, note, failed },
    `${ok} as assumed, ${note} only reported, ${failed} failed`,
  );
  signal.throwIfAborted();
  if (failed > 0) throw new Reported(new UserError(`${failed} assumptions do not hold`));
}
