/**
 * Runs a gateway and its function in a child process, so that a test can measure its memory. Prints
 * the URL of the gateway. At the end of its input it prints the growth of its largest memory in
 * bytes, and exits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createStackIam } from '../../../src/iam/stack-iam';
import { startLambda } from '../../../src/services/lambda/lambda';
import { startRestApi } from '../../../src/services/rest-api/rest-api';
import { functionStack } from '../../lambda/stack';
import { BASE, stackOf } from '../stack';

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'large-bodies-'));
  const stack = functionStack({ api: { Handler: 'received.digest', MemorySize: 256 } });
  const iam = createStackIam(stack, 'seed');
  const endpoints = {
    s3: 'http://127.0.0.1:1',
    dynamodb: 'http://127.0.0.1:2',
    lambda: 'http://127.0.0.1:3',
  };
  const lambda = startLambda({ stack, iam, endpoints, dataDir });
  const api = await startRestApi({ stack: stackOf(BASE), invoker: lambda, port: 0 });
  const { maxRSS: atRest } = process.resourceUsage();
  console.log(api.baseUrl);
  await text(process.stdin);
  console.log((process.resourceUsage().maxRSS - atRest) * 1024);
  await Promise.all([api.stop(), lambda.stop()]);
  rmSync(dataDir, { recursive: true, force: true });
}

void main();
