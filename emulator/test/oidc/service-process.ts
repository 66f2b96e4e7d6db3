/**
 * Runs the issuer in a child process, because jest cannot load the ESM package that it uses. Start
 * it with `node --import tsx`.
 */
import { startOidc } from '../../src/services/oidc/oidc';
import { POOL } from './pool';

async function main(dataDir: string): Promise<void> {
  const { endpoint, user, password } = await startOidc({
    pool: POOL,
    dataDir,
    port: 0,
    title: 'Sign in to the example',
  });
  process.send?.({ endpoint, user, password });
}

void main(process.argv[2] ?? '');
