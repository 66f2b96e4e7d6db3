/** A person who makes links, opens them without a key, and revokes them. */
import { OpenedLink } from '../oracles/opened-links';
import { fetchThroughGateway } from '../service/gateway';
import { Actor } from './actor';
import { isRefused } from './requester';
import type { Bucket, Setting } from './setting';

/** Some links expire so soon, seconds. */
const EXPIRES = [2, 20, 3_600] as const;

/** It opens and revokes one of its latest links. */
const RECENT = 2;

/** How often a browser asks again while the service cannot respond. */
const ATTEMPTS = 5;

interface KeptLink {
  readonly id: string;
  readonly url: string;
  readonly bucket: Bucket;
  readonly opened: OpenedLink;
}

export class LinkKeeper extends Actor {
  private readonly links: KeptLink[] = [];
  /** Of a browser, which has no key and repeats nothing by itself. */
  private readonly browse: (address: string, init: RequestInit) => Promise<Response>;

  constructor(setting: Setting, name: string) {
    super(setting, name);
    const { simulation, service } = setting;
    const random = simulation.random(`${name} browser`);
    this.browse = fetchThroughGateway(simulation, service.http, random);
  }

  protected override draw(): () => Promise<void> {
    const { random, setting } = this;
    const [number, which, bucket] = [random.next(), random.next(), random.pick(setting.buckets)];
    return async () => {
      const link = this.links.at(-1 - Math.floor(which * RECENT));
      if (link === undefined || number < 0.2) await this.create(bucket, which);
      else if (number < 0.85) await this.open(link);
      else await this.revoke(link);
    };
  }

  /** To one of the objects; `which`: from 0 to 1. */
  private async create(bucket: Bucket, which: number): Promise<void> {
    const { client, random, setting, id: idempotencyKey } = this;
    const list = await this.resolved(() => client.list(bucket.name, { limit: 1000 }));
    const { objects } = 'value' in list ? list.value : { objects: [] };
    const object = objects[Math.floor(which * objects.length)];
    if (object === undefined) return;
    setting.count('link');
    const { key, version, cursor } = object;
    const isOfVersion = random.chance(0.3);
    const options = {
      expiresIn: random.pick(EXPIRES),
      ...(random.chance(0.6) && { maxUses: random.between(1, 3) }),
      ...(isOfVersion && { version }),
    };
    const made = await this.resolved(() =>
      client.links.create(bucket.name, key, { ...options, idempotencyKey }),
    );
    if (!('value' in made)) return;
    const { id, url, expires_at: expiresAt } = made.value;
    const terms = {
      ...{ id, key, expiresAt: Date.parse(expiresAt) },
      ...(options.maxUses && { maxUses: options.maxUses }),
      ...(isOfVersion && { cursor }),
    };
    const opened = new OpenedLink(terms, bucket.history, setting.simulation.anomalies);
    this.links.push({ id, url, bucket, opened });
  }

  private async open({ url, bucket, opened }: KeptLink): Promise<void> {
    const { simulation, count } = this.setting;
    count('link opened');
    const from = simulation.time.now;
    const response = await this.ask(opened, `${url}&download`);
    if (response === undefined) return;
    const duration = { from, until: simulation.time.now };
    if (response.status !== 307) {
      const isKnown = response.status === 404;
      const what = () => `a link was refused with ${response.status}`;
      simulation.anomalies.require('a link that does not open is not found', isKnown, what);
      opened.wasRefused(duration);
      return;
    }
    opened.wasOpened(duration);
    const request = { url: response.headers.get('location') ?? '', method: 'GET' };
    const bytes = await this.setting.service.s3.send(request);
    if (bytes === undefined) return;
    const etag = (bytes.headers.etag ?? '').replaceAll('"', '');
    opened.gave(etag, duration);
    if (!etag.includes('-')) bucket.effects.read(etag, bytes.body.toString());
  }

  /** Returns the first response that says something about the link. */
  private async ask(opened: OpenedLink, url: string): Promise<Response | undefined> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      opened.asked();
      const response = await this.browse(url, { headers: { accept: '*/*' } }).catch(
        () => undefined,
      );
      if (response && response.status < 500) return response;
      await this.setting.pause(this.random.between(100, 2_000));
    }
    return undefined;
  }

  private async revoke(link: KeptLink): Promise<void> {
    const { id, opened } = link;
    this.setting.count('link revoked');
    opened.revoking();
    const revoked = await this.resolved(() => this.client.links.revoke(id));
    const isGone = 'value' in revoked || isRefused(revoked, 'not_found');
    if (isGone) opened.revoked(this.setting.simulation.time.now);
    await this.open(link);
  }
}
