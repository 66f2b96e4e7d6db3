import type { Errand, Errands } from '../../../core/deliver/ports';
import { copy, type FakeState } from './state';

/** The Errands port in memory. */
export class FakeErrands implements Errands {
  constructor(private readonly state: FakeState) {}

  async send(errand: Errand): Promise<void> {
    this.state.errands.push(copy(errand));
  }
}
