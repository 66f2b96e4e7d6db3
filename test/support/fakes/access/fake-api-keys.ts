import type { ApiKeyRecord, ApiKeys } from '../../../../core/access/ports';
import { copy, type FakeState } from '../state';

/**
 * The ApiKeys port in memory. It makes no keys: a test puts them into `state.apiKeys`, or uses the
 * KeyStore.
 */
export class FakeApiKeys implements ApiKeys {
  constructor(protected readonly state: FakeState) {}

  async get(id: string): Promise<ApiKeyRecord | undefined> {
    return copy(this.state.apiKeys.get(id));
  }
}
