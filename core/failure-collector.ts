/** Runs many tasks; a task that fails does not stop the others. */
import type { Log } from './system';

export class FailureCollector {
  private readonly failed = new Set<string>();

  /** `event` is the name of the log line for each failure. */
  constructor(
    private readonly log: Pick<Log, 'error'>,
    private readonly event: string,
  ) {}

  /**
   * Runs `task` for `subject` (a bucket, a target) and never throws: a failure is logged with
   * `fields`. Returns true when the task succeeded.
   */
  async run(
    subject: string,
    fields: Readonly<Record<string, unknown>>,
    task: () => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      this.failed.add(subject);
      this.log.error(this.event, { ...fields, error });
      return false;
    }
  }

  /** The subjects with a failed task. */
  get subjects(): ReadonlySet<string> {
    return this.failed;
  }

  /** Throws an error that names every subject with a failed task; does nothing if there is none. */
  throwIfAny(): void {
    if (this.failed.size > 0) throw new Error(`failed for ${[...this.failed].join(', ')}`);
  }
}
