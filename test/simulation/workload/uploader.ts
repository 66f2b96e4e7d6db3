/** A client that sends bytes straight to S3: uploads that a commit names, and uploads in parts. */
import { createHash } from 'node:crypto';
import type { Commit } from '../../../client';
import { completionOf } from '../../../client/transfer/parts';
import { type SignedUpload, signUpload } from '../../../client/transfer/signed-parts';
import type { SignedRequest } from '../service/content-bucket';
import { Actor } from './actor';
import { isRefused, type Result } from './requester';
import type { Bucket } from './setting';

const STAGED = 'a staged upload takes effect once, and only by a commit that names it';
const PARTS = 'an upload in parts takes effect once, and never when it was aborted or discarded';

const PART_BYTES = 5 * 1024 * 1024;

/** How often a client asks what became of an upload, or sends something to S3. */
const POLLS = 8;
const SENDS = 3;

/** Longer than the URLs are valid, so that the janitor may be there first. */
const LATE_MS = 400_000;
const EXPIRES_SECONDS = 300;

export class Uploader extends Actor {
  protected override draw(): () => Promise<void> {
    const { random, setting } = this;
    const isStaged = random.chance(0.6);
    const bucket = random.pick(setting.buckets);
    const key = random.pick(setting.keys);
    return () => (isStaged ? this.staged(bucket, key) : this.inParts(bucket, key));
  }

  private async staged(bucket: Bucket, key: string): Promise<void> {
    const { client, random, setting } = this;
    setting.count('staged upload');
    const text = `${this.id} staged`;
    const write = { operation: this.id, text, check: STAGED, isAcknowledged: false };
    // Nothing names it yet.
    bucket.effects.written({ ...write, isRefused: true });
    const metadata = { op: this.id };
    const options = { method: 'PUT', metadata, commit: false, expiresIn: EXPIRES_SECONDS } as const;
    const signed = await this.resolved(() => client.signedUrl(bucket.name, key, options));
    if (!('value' in signed)) return;
    await this.send(signed.value, text);
    const { upload_id: id = '' } = signed.value;
    if ((await this.stateOf(id, ['staged'])) !== 'staged' || random.chance(0.3)) return;
    bucket.effects.written({ ...write, isRefused: false });
    setting.count('staged commit');
    const made = await Promise.all(
      Array.from({ length: random.chance(0.3) ? 2 : 1 }, (_, index) =>
        this.commitStaged(bucket, { key, id }, `${this.id}-${index}`),
      ),
    );
    const isAcknowledged = made.some((one) => 'value' in one);
    bucket.effects.written({
      ...write,
      isAcknowledged,
      isRefused: made.every((one) => isRefused(one)),
    });
  }

  private async commitStaged(
    bucket: Bucket,
    { key, id }: { readonly key: string; readonly id: string },
    idempotencyKey: string,
  ): Promise<Result<Commit>> {
    const floor = bucket.linearizable.floor(key);
    const change = { op: 'put', key, uploadId: id } as const;
    const result = await this.resolved<Commit>(() =>
      this.client.commit(bucket.name, [change], { idempotencyKey }),
    );
    if ('value' in result) this.acknowledge(bucket, result.value.changes, [floor]);
    return result;
  }

  private async inParts(bucket: Bucket, key: string): Promise<void> {
    const { random, setting } = this;
    setting.count('upload in parts');
    const text = `${this.id} in parts`;
    const part = createHash('md5').update(text).digest();
    const etag = `${createHash('md5').update(part).digest('hex')}-1`;
    const write = { operation: this.id, text, etag, check: PARTS };
    const unknown = { ...write, isAcknowledged: false, isRefused: false };
    bucket.effects.written({ ...unknown, isRefused: true });
    const floor = bucket.linearizable.floor(key);
    const signed = await this.sign(bucket, key, { size: text.length, part_size: PART_BYTES });
    const sent = signed && (await this.send({ url: signed.parts[0]?.url ?? '' }, text));
    if (!signed || sent?.status !== 200) return;
    const isAborted = random.chance(0.2) && (await this.send(signed.abort))?.status === 204;
    if (random.chance(0.15)) await setting.pause(LATE_MS);
    const { upload_id: id } = signed;
    const isAgain = !isAborted && random.chance(0.3);
    const last = (isAgain && (await this.sign(bucket, key, { upload_id: id }))) || signed;
    if (!isAborted) bucket.effects.written(unknown);
    const body = completionOf([part.toString('hex')]);
    await this.send(last.complete, body);
    const state = await this.stateOf(id, ['committed', 'discarded'], floor);
    if (state === undefined || isAborted) return;
    const isAcknowledged = state === 'committed';
    bucket.effects.written({ ...write, isAcknowledged, isRefused: state === 'discarded' });
  }

  private async sign(
    bucket: Bucket,
    key: string,
    multipart: Readonly<Record<string, unknown>>,
  ): Promise<SignedUpload | undefined> {
    const isFirst = multipart.upload_id === undefined;
    const metadata = isFirst ? { metadata: { op: this.id } } : {};
    const fields = { multipart, ...metadata, expires_in: EXPIRES_SECONDS };
    const target = { bucket: bucket.name, key };
    const { signal } = new AbortController();
    const signed = await this.resolved(() => signUpload(this.http, target, fields, signal));
    return 'value' in signed ? signed.value : undefined;
  }

  /** Sends a request to S3 until there is a response. */
  private async send(request: SignedRequest, body?: string) {
    const { setting, random } = this;
    if (random.chance(0.05)) await setting.pause(LATE_MS);
    let response = await setting.service.s3.send(request, body);
    for (let sends = 1; sends < SENDS && response === undefined; sends++) {
      response = await setting.service.s3.send(request, body);
    }
    return response;
  }

  /** Asks what became of the upload until it is one of these; undefined: it never was. */
  private async stateOf(id: string, wanted: readonly string[], floor?: number) {
    const { setting, client } = this;
    for (let asked = 0; asked < POLLS; asked++) {
      await setting.pause(1_000);
      const found = await this.resolved(() => client.uploadState(id));
      if (!('value' in found) || !wanted.includes(found.value.state)) continue;
      const { object, state } = found.value;
      if (object && floor !== undefined) this.committed(object, floor);
      return state;
    }
    return undefined;
  }

  private committed(
    object: { readonly bucket: string; readonly key: string; readonly cursor: number },
    floor: number,
  ): void {
    const bucket = this.setting.buckets.find(({ name }) => name === object.bucket);
    const entry = bucket?.history.entry(object.cursor);
    const isOwn = entry?.type === 'put' && entry.object.state === 'live';
    const own = isOwn && entry.object.state === 'live' && entry.object.metadata.op === this.id;
    this.setting.simulation.anomalies.require(
      PARTS,
      own === true && object.cursor > floor,
      () => `${this.id} is committed at ${object.cursor}, which is ${entry?.type}`,
    );
  }
}
