/**
 * S3 towards clients that were given a signed URL, and its events: at least once, in any order
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/EventNotifications.html). Lambda repeats
 * an asynchronous invocation that fails twice
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html).
 */
import type { S3Event } from 'aws-lambda';
import { FakeS3, type S3Response } from '../../support/fakes/objects/fake-s3';
import type { SeededRandom } from '../machine/random';
import type { LambdaFunction } from './lambda-function';
import type { Simulation } from './simulation';

const EVENT_LATENCY = [100, 3_000] as const;
const LATE_MS = [10_000, 120_000] as const;
const ATTEMPTS = 3;

export interface SignedRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class ContentBucket {
  private readonly s3: FakeS3;
  private readonly random: SeededRandom;

  constructor(
    private readonly simulation: Simulation,
    private readonly ingest: LambdaFunction<S3Event, void>,
  ) {
    this.s3 = new FakeS3(simulation.state, simulation.clock);
    this.random = simulation.random('s3');
  }

  /** Returns the response of S3; undefined: the client got none. */
  async send(
    { url, method = 'PUT', headers = {} }: SignedRequest,
    body = '',
  ): Promise<S3Response | undefined> {
    const { simulation, random } = this;
    const kinds = ['client request lost', 'client response lost'] as const;
    const fault = simulation.faults.draw(kinds, random);
    await this.pause(random.between(10, 200));
    if (fault === 'client request lost') return undefined;
    const before = new Set(simulation.state.blobs.keys());
    const response = await this.s3.request(method, url, headers, Buffer.from(body));
    for (const blob of simulation.state.blobs.keys()) {
      if (response.status === 200 && !before.has(blob)) this.report(blob, 1);
    }
    await this.pause(random.between(10, 200));
    return fault === 'client response lost' ? undefined : response;
  }

  private report(blob: string, attempt: number): void {
    const { faults, time } = this.simulation;
    const isLate = faults.draw(['event late'], this.random);
    const [least, most] = isLate ? LATE_MS : EVENT_LATENCY;
    const delay = this.random.between(least, most);
    const key = encodeURIComponent(blob);
    const event = { Records: [{ s3: { bucket: { name: 'content' }, object: { key } } }] };
    time.after(delay, () =>
      this.ingest.invoke(event as unknown as S3Event, (outcome) => {
        const isRepeated = faults.draw(['event repeated'], this.random);
        const isFailed = !('result' in outcome) && attempt < ATTEMPTS;
        if (isRepeated || isFailed) this.report(blob, attempt + 1);
      }),
    );
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.simulation.time.after(milliseconds, resolve));
  }
}
