/**
 * EventBridge as far as a stack needs it: PutEvents, rules with patterns, and functions and
 * standard queues as their targets.
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
 */
import { randomUUID } from 'node:crypto';
import type { Iam, Principal } from '../../iam/iam';
import { Authenticator, SignatureError, type SignedRequest } from '../../iam/signature';
import type { ResolvedStack } from '../../template/model';
import { resourcesOfType } from '../../template/resources';
import { isRecord } from '../../values/json';
import type { Invoker } from '../lambda/invoker';
import { type PostReply, startPostEndpoint } from '../post-endpoint';
import type { Listening } from '../service';
import { busArn, type EventRule, type EventTarget, eventRules } from './event-rules';
import type { QueueSource } from './queue-source';

export interface EventBusesOptions {
  readonly stack: ResolvedStack;
  readonly iam: Iam;
  /** A promise, because functions are started with the address of this endpoint. */
  readonly invoker: Promise<Invoker>;
  /** Absent: the stack has no queues. */
  readonly queues?: QueueSource;
}

/** Most bytes of the entries of a request. AWS has since raised its limit. */
const MAX_BYTES = 256 * 1024;
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const SERVICE = 'events.amazonaws.com';

class EventsError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
    this.name = 'EventsError';
  }
}

/**
 * Listens on any free port, because only functions call it, and they are started with its address.
 * undefined: the stack has neither rules with patterns nor buses.
 */
export async function startEventBuses(options: EventBusesOptions): Promise<Listening | undefined> {
  const rules = eventRules(options.stack, options.queues);
  const names = resourcesOfType(options.stack, 'AWS::Events::EventBus');
  if (rules.length === 0 && names.length === 0) return undefined;
  const buses = new EventBuses(
    options,
    rules,
    new Set([busArn(options.stack), ...names.map(({ arn = '' }) => arn)]),
  );
  return startPostEndpoint({
    port: 0,
    service: 'EventBridge',
    maxBodyBytes: MAX_BODY_BYTES,
    handle: (request) => buses.handle(request),
    refuse: (status, message) =>
      errorReply(new EventsError('UnknownOperationException', message, status)),
  });
}

interface Entry {
  readonly bus: string;
  readonly event: Readonly<Record<string, unknown>> & { readonly id: string };
}

class EventBuses {
  private readonly authenticator: Authenticator;

  constructor(
    private readonly options: EventBusesOptions,
    private readonly rules: readonly EventRule[],
    /** By ARN. */
    private readonly buses: ReadonlySet<string>,
  ) {
    this.authenticator = new Authenticator(options.iam, options.stack.region, 'events');
  }

  /** Never rejects. */
  async handle(request: SignedRequest): Promise<PostReply> {
    try {
      return reply(200, await this.putEvents(request));
    } catch (error) {
      if (error instanceof EventsError) return errorReply(error);
      if (error instanceof SignatureError) {
        return errorReply(new EventsError(error.code, error.message, 403));
      }
      process.stderr.write(`events: ${error instanceof Error ? error.stack : String(error)}\n`);
      return errorReply(new EventsError('InternalException', 'Internal failure', 500));
    }
  }

  private async putEvents(request: SignedRequest): Promise<unknown> {
    const target = String(request.headers['x-amz-target']);
    if (target !== 'AWSEvents.PutEvents') {
      throw new EventsError('UnknownOperationException', `the emulator does not support ${target}`);
    }
    const principal = this.authenticator.authenticate(request);
    const entries = entriesOf(request.body);
    const results: object[] = [];
    for (const entry of entries) results.push(await this.put(principal, entry));
    const failed = results.filter((result) => 'ErrorCode' in result).length;
    return { FailedEntryCount: failed, Entries: results };
  }

  /** An invalid entry fails alone; an entry that the caller may not put fails the whole request. */
  private async put(
    principal: Principal,
    entry: Readonly<Record<string, unknown>>,
  ): Promise<object> {
    const name = entry.EventBusName;
    const bus = busArn(this.options.stack, typeof name === 'string' ? name : undefined);
    const request = { action: 'events:PutEvents', resource: bus };
    const denial = this.options.iam.denial(principal, request);
    if (denial !== undefined) throw new EventsError('AccessDeniedException', denial);
    const read = readEntry(entry, this.options.stack);
    if ('ErrorCode' in read) return read;
    // As in AWS, an event on a bus that does not exist is accepted and has no effect.
    if (this.buses.has(bus)) await this.route({ bus, event: read });
    return { EventId: read.id };
  }

  private async route({ bus, event }: Entry): Promise<void> {
    for (const rule of this.rules) {
      if (rule.busArn !== bus || !rule.matches(event)) continue;
      for (const target of rule.targets) {
        // AWS drops an event that a target refuses, and counts it in the metric FailedInvocations.
        await this.notify(rule, target, event).catch((error: unknown) => {
          process.stderr.write(`rule ${rule.logicalId}: ${error}\n`);
        });
      }
    }
  }

  private async notify(rule: EventRule, target: EventTarget, event: Entry['event']) {
    const { arn, input = JSON.stringify(event) } = target;
    const { invoker, queues } = this.options;
    if (target.kind === 'function') {
      await (await invoker).invokeAsync(arn, input, { service: SERVICE, arn: rule.arn });
      return;
    }
    if (!queues?.permitsService(arn, SERVICE, rule.arn)) {
      throw new Error(`the policy of ${arn} does not let ${SERVICE} send for ${rule.arn}`);
    }
    queues.send(arn, input, SERVICE);
  }
}

function entriesOf(body: Buffer): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new EventsError('SerializationException', 'the request is not JSON');
  }
  const entries = isRecord(value) ? value.Entries : undefined;
  if (!Array.isArray(entries) || !entries.every(isRecord)) {
    throw new EventsError('SerializationException', 'Entries must be a list of objects');
  }
  if (entries.length < 1 || entries.length > 10) {
    throw new EventsError(
      'ValidationException',
      `Entries must have 1 to 10 members, got ${entries.length}`,
    );
  }
  const bytes = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (bytes >= MAX_BYTES) {
    throw new EventsError(
      'ValidationException',
      `Total size of the entries in the request is over the limit: ${bytes} bytes`,
    );
  }
  return entries;
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html#eb-putevent-size */
function sizeOf({ Source, DetailType, Detail }: Readonly<Record<string, unknown>>): number {
  const texts = [Source, DetailType, Detail].filter((text) => typeof text === 'string');
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

const KNOWN = ['Source', 'DetailType', 'Detail', 'EventBusName'];

function readEntry(
  entry: Readonly<Record<string, unknown>>,
  { accountId, region }: ResolvedStack,
): Entry['event'] | { readonly ErrorCode: string; readonly ErrorMessage: string } {
  const other = Object.keys(entry).find((name) => !KNOWN.includes(name));
  if (other !== undefined) {
    throw new EventsError('ValidationException', `the emulator does not support ${other}`);
  }
  const { Source: source, DetailType: detailType, Detail: text } = entry;
  for (const [name, value] of Object.entries({ Source: source, DetailType: detailType })) {
    if (typeof value === 'string' && value !== '') continue;
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: 'InvalidArgument', ErrorMessage };
  }
  const detail = typeof text === 'string' ? parsed(text) : undefined;
  if (!isRecord(detail)) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': detailType,
    source,
    account: accountId,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [],
    detail,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reply(status: number, value: unknown): PostReply {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() },
    body: Buffer.from(JSON.stringify(value)),
  };
}

function errorReply({ status, code, message }: EventsError): PostReply {
  return reply(status, { __type: code, message });
}
