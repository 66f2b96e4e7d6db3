/**
 * Simulates followers and the model server on a faulty network, in virtual time. The seed
 * determines everything that happens.
 */
import { ChannelProtocol, type Output } from '../../client/channel/channel-protocol';
import type { SubscriptionEvent } from '../../client/channel/events';
import type { FollowOptions, LogPosition } from '../../client/channel/log-position';
import { type ModelConnection, ModelServer, visible } from './model-server';

export interface Faults {
  /** Probabilities for each message, in both directions. */
  readonly drop: number;
  readonly repeat: number;
  /** The maximal delay of a message in milliseconds: messages overtake each other. */
  readonly delayMs: number;
  /** Probabilities for each step of the writers. */
  readonly cut: number;
  readonly trim: number;
  readonly replace: number;
  readonly pause: number;
}

export interface Scenario {
  readonly seed: number;
  readonly faults: Faults;
  /** Steps of the writers. */
  readonly steps: number;
}

/** The events of one follower from its beginning to the reset that ended it. */
interface Segment {
  readonly incarnationId: string | undefined;
  readonly position: LogPosition;
  readonly start: number | undefined;
  readonly events: SubscriptionEvent[];
}

interface Participant {
  readonly positions: readonly LogPosition[];
  readonly channel: ChannelProtocol;
  connection: ModelConnection | undefined;
  isPaused: boolean;
}

const BUCKETS = ['photos', 'films', 'notes'];
const PREFIXES = ['', 'a/', 'b/'];
const STEP_MS = 700;
/** Time in which every follower must catch up without faults: the longest wait, and a ping. */
const RECOVERY_MS = 300_000;

/** Returns the generator mulberry32 with this seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export class Simulation {
  readonly segments: Segment[] = [];
  readonly server = new ModelServer();
  messages = 0;
  resets = 0;
  #now = 0;
  #faults: Faults;
  readonly #random: () => number;
  readonly #participants: Participant[] = [];
  #agenda: { readonly at: number; readonly run: () => void }[] = [];

  constructor(
    readonly scenario: Scenario,
    readonly createPosition: (bucket: string, from: FollowOptions) => LogPosition,
    /** Changes each message of the client before it is sent. */
    readonly rewrite: (text: string) => string = (text) => text,
  ) {
    this.#random = randomOf(scenario.seed);
    this.#faults = scenario.faults;
  }

  /** Runs the scenario. Returns a text for each violation at its end. */
  run(): readonly string[] {
    for (const bucket of BUCKETS) {
      this.server.create(bucket);
      this.#write(bucket);
    }
    for (const prefix of PREFIXES) {
      const fromNow = this.#random() < 0.5;
      this.#join(
        BUCKETS.map((name) => this.#positionOf(name, fromNow ? { prefix } : { prefix, cursor: 0 })),
      );
    }
    for (let step = 0; step < this.scenario.steps; step++) {
      this.#step();
      this.#advance(this.#now + this.#random() * STEP_MS);
    }
    this.#faults = { drop: 0, repeat: 0, delayMs: 5, cut: 0, trim: 0, replace: 0, pause: 0 };
    for (const participant of this.#participants) this.#resume(participant);
    this.#advance(this.#now + RECOVERY_MS);
    return this.segments.flatMap((segment) => this.#violations(segment));
  }

  #step(): void {
    const bucket = this.#pick(BUCKETS);
    this.#write(bucket);
    if (this.#chance(this.#faults.trim)) this.server.trim(bucket, 3);
    if (this.#chance(this.#faults.replace)) {
      this.server.create(bucket);
      this.#write(bucket);
    }
    for (const participant of this.#participants) {
      if (this.#chance(this.#faults.cut)) this.#cut(participant);
      if (this.#chance(this.#faults.pause)) {
        participant.isPaused = true;
        participant.channel.pause();
      } else if (this.#chance(0.3)) {
        this.#resume(participant);
      }
    }
  }

  #write(bucket: string): void {
    const count = 1 + Math.floor(this.#random() * 12);
    const changes = Array.from({ length: count }, () => ({
      type: this.#pick(['put', 'put', 'delete', 'noop'] as const),
      key: this.#pick(['a/1', 'a/2', 'b/1', 'c']),
    }));
    this.server.commit(bucket, changes);
  }

  #positionOf(bucket: string, from: FollowOptions): LogPosition {
    const position = this.createPosition(bucket, from);
    const { cursor: start, bucketId: incarnationId } = from;
    this.segments.push({ position, start, incarnationId, events: [] });
    return position;
  }

  #join(positions: readonly LogPosition[]): void {
    const channel = new ChannelProtocol(positions, this.#random);
    const participant: Participant = {
      positions,
      channel,
      connection: undefined,
      isPaused: false,
    };
    this.#participants.push(participant);
    this.#perform(participant, channel.start(this.#now));
  }

  #perform(participant: Participant, outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.type === 'connect') this.#connect(participant);
      else if (output.type === 'close') this.#leave(participant);
      else if (output.type === 'event') this.#record(output.event, participant);
      else if (output.type === 'failed') throw output.error;
      else if (output.type === 'send') {
        const { connection } = participant;
        this.#transmit(() => {
          if (connection && this.server.connections.has(connection)) {
            this.server.receive(connection, this.rewrite(output.text));
          }
        });
      }
    }
  }

  #connect(participant: Participant): void {
    const connection: ModelConnection = {
      subscriptions: new Map(),
      post: (message) =>
        this.#transmit(() => {
          if (participant.connection !== connection) return;
          const text = JSON.stringify(message);
          this.#perform(participant, participant.channel.received(this.#now, text));
        }),
    };
    participant.connection = connection;
    this.#at(this.#now + this.#random() * 100, () => {
      if (participant.connection !== connection) return;
      this.server.connections.add(connection);
      this.#perform(participant, participant.channel.opened(this.#now));
    });
  }

  #leave(participant: Participant): void {
    if (participant.connection) this.server.connections.delete(participant.connection);
    participant.connection = undefined;
  }

  #cut(participant: Participant): void {
    if (!participant.connection) return;
    this.#leave(participant);
    this.#perform(participant, participant.channel.closed(this.#now, { code: 1006 }));
  }

  #resume(participant: Participant): void {
    if (!participant.isPaused) return;
    participant.isPaused = false;
    this.#perform(participant, participant.channel.resume(this.#now));
  }

  #record(event: SubscriptionEvent, participant: Participant): void {
    if (event.type === 'status') return;
    const segment = this.segments.find(
      ({ position }) =>
        position.bucket === event.bucket && participant.positions.includes(position),
    );
    segment?.events.push(event);
    if (event.type !== 'reset') return;
    this.resets += 1;
    const { id, log } = this.server.incarnation(event.bucket);
    const prefix = segment?.position.prefix ?? '';
    const from = { cursor: log.length, bucketId: id, prefix };
    const position = this.#positionOf(event.bucket, from);
    this.#at(this.#now, () => this.#join([position]));
  }

  /** Sends a message over the network: it may be lost, delayed or repeated. */
  #transmit(arrive: () => void): void {
    this.messages += 1;
    if (this.#chance(this.#faults.drop)) return;
    const copies = this.#chance(this.#faults.repeat) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.#at(this.#now + this.#random() * this.#faults.delayMs, arrive);
    }
  }

  #at(at: number, run: () => void): void {
    this.#agenda.push({ at, run });
    this.#agenda.sort((a, b) => a.at - b.at);
  }

  #advance(until: number): void {
    for (;;) {
      const due = this.#agenda[0]?.at ?? Number.POSITIVE_INFINITY;
      const wakes = this.#participants.map(({ channel }) => channel.wakeAt(this.#now));
      const next = Math.max(this.#now, Math.min(due, ...wakes));
      if (next > until) break;
      this.#now = next;
      if (due <= next) this.#agenda.shift()?.run();
      else for (const one of this.#participants) this.#perform(one, one.channel.tick(next));
    }
    this.#now = until;
  }

  /**
   * Returns a text for each violation. The events must be the log's changes below the prefix, in
   * order, each once, up to the follower's cursor. At the end of the run the cursor must be the
   * head.
   */
  #violations({ position, start, incarnationId, events }: Segment): string[] {
    const { bucket, prefix, cursor, bucketId, hasEnded } = position;
    const incarnation = this.server.incarnations.get(bucket)?.find(({ id }) => id === bucketId);
    const name = `${bucket}/${prefix}* from ${start} of ${incarnationId}`;
    // Its first cursor had expired already, or belonged to an earlier incarnation.
    if (hasEnded && events.every(({ type }) => type === 'reset')) return [];
    if (!incarnation || cursor === undefined) return [`${name}: did not begin`];
    const begin = start ?? events.find(({ type }) => type === 'cursor');
    const from = typeof begin === 'object' && 'cursor' in begin ? begin.cursor : begin;
    if (typeof from !== 'number') return [`${name}: has no beginning`];
    const expected = visible(incarnation, from, cursor, prefix).map(
      ({ cursor, type, key }) => `${cursor} ${type} ${key}`,
    );
    const actual = events.flatMap((event) =>
      event.type === 'put' || event.type === 'delete'
        ? [`${event.cursor} ${event.type} ${event.object.key}`]
        : [],
    );
    const isAtEnd = hasEnded || cursor === this.server.incarnation(bucket).log.length;
    return [
      ...(expected.join() === actual.join() ? [] : [`${name}: ${actual} instead of ${expected}`]),
      ...(isAtEnd ? [] : [`${name}: at ${cursor} in the end`]),
    ];
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }
}
