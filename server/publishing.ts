import type { DeferredTask, DeferredTasks } from '../core/channel/ports';
import { Publisher, type PublisherDeps } from '../core/channel/publisher';
import type { Commits } from '../core/log/ports';
import { stopAt } from '../core/stop-signal';
import type { Clock, Log } from '../core/system';

/** Time budget of one call, milliseconds. */
const PUSH_MS = 30_000;

/** The DeferredTasks port of one process: timers. What they would do, a start does as well. */
export class TimedTasks implements DeferredTasks {
  private readonly timers = new Set<NodeJS.Timeout>();
  private perform: (task: DeferredTask) => void = () => {};

  /** Sets what performs the tasks. */
  onTask(perform: (task: DeferredTask) => void): void {
    this.perform = perform;
  }

  async add(task: DeferredTask, delaySeconds: number): Promise<void> {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.perform(task);
    }, delaySeconds * 1000);
    this.timers.add(timer);
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}

/**
 * Publishes each bucket as soon as a commit has changed it. Commits that arrive while one is
 * published are published together.
 */
export class LivePublisher {
  private readonly publisher: Publisher;
  /** Name of a bucket that is being published -> whether it has changed since that began. */
  private readonly running = new Map<string, boolean>();

  constructor(
    private readonly deps: PublisherDeps & { readonly clock: Clock; readonly log: Log },
    tasks: TimedTasks,
  ) {
    this.publisher = new Publisher(deps);
    tasks.onTask((task) => {
      const done = this.publisher.perform(task, this.signal());
      done.catch((error: unknown) => this.deps.log.error('deferred_task_failed', { error }));
    });
  }

  /** Returns the port with the publication of what it commits. */
  watching(commits: Commits): Commits {
    return {
      allocate: (...given) => commits.allocate(...given),
      commit: async (commit) => {
        const outcome = await commits.commit(commit);
        const [first] = commit.changes;
        if (first && outcome.result !== 'refused') this.changed(first.object.bucket);
        return outcome;
      },
    };
  }

  /** Publishes the bucket now, or again when it is being published. */
  changed(bucket: string): void {
    const isRunning = this.running.has(bucket);
    this.running.set(bucket, isRunning);
    if (!isRunning) void this.publish(bucket);
  }

  private async publish(bucket: string): Promise<void> {
    do {
      this.running.set(bucket, false);
      try {
        await this.publisher.publish(bucket, this.signal());
      } catch (error) {
        // The task `logs` publishes it within a minute.
        this.deps.log.error('publish_failed', { bucket, error });
        break;
      }
    } while (this.running.get(bucket));
    this.running.delete(bucket);
  }

  private signal() {
    return stopAt(this.deps.clock, this.deps.clock.now() + PUSH_MS);
  }
}
