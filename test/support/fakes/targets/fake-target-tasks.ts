import type { TargetTask, TargetTasks } from '../../../../core/targets/ports';
import { copy, type FakeState } from '../state';

/** The TargetTasks port in memory. */
export class FakeTargetTasks implements TargetTasks {
  constructor(private readonly state: FakeState) {}

  async send(task: TargetTask): Promise<void> {
    this.state.targetTasks.push(copy(task));
  }
}
