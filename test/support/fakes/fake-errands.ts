import type { TargetTask, TargetTasks } from '../../../core/targets/ports';
import { copy, type FakeState } from './state';

/** The Errands port in memory. */
export class FakeErrands implements TargetTasks {
  constructor(private readonly state: FakeState) {}

  async send(errand: TargetTask): Promise<void> {
    this.state.errands.push(copy(errand));
  }
}
