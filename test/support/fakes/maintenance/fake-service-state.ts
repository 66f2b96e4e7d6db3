import type { ServiceState } from '../../../../core/service-state';
import type { FakeState } from '../state';

/** The ServiceState port in memory. */
export class FakeServiceState implements ServiceState {
  constructor(private readonly state: FakeState) {}

  async load(name: string): Promise<string | undefined> {
    return this.state.service.get(name);
  }

  async save(name: string, value: string): Promise<void> {
    this.state.service.set(name, value);
  }

  async once(name: string, initial: string): Promise<string> {
    const value = this.state.service.get(name) ?? initial;
    this.state.service.set(name, value);
    return value;
  }
}
