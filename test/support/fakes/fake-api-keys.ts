import type { ApiKeyRecord, ApiKeys } from '../../../core/ports';
import { copy, type FakeState } from './state';

/** The ApiKeys port in memory. No port makes keys: a test puts them into `state.apiKeys`. */
export class FakeApiKeys implements ApiKeys {
  constructor(private readonly state: FakeState) {}

  async get(id: string): Promise<ApiKeyRecord | undefined> {
    return copy(this.state.apiKeys.get(id));
  }
}
