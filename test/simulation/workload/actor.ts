/** A client that does one thing after the other, as long as the simulation lasts. */
import { Requester } from './requester';

/** Milliseconds between two operations. */
const PAUSE = [5, 400] as const;

export abstract class Actor extends Requester {
  async run(): Promise<void> {
    const { setting, random } = this;
    while (!setting.isEnding()) {
      await setting.pause(random.between(...PAUSE));
      await setting.lull();
      this.operations += 1;
      const perform = this.draw();
      if (setting.skipped?.has(this.id)) continue;
      setting.performed.push(this.id);
      this.unanswered = 0;
      await perform();
    }
  }

  /** Draws what it does next, all of it: what is skipped changes no later draw. */
  protected abstract draw(): () => Promise<void>;

  /** What is left to check when everything has settled. */
  check(): void {}
}
