// The container's command. The service listens on 127.0.0.1, which published ports do not reach:
// this process accepts connections at the container's own addresses and passes them on.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

const PORTS = Array.from({ length: 20 }, (_, index) => 7070 + index);

/** Ends both connections when one fails or ends. */
function pass(connection, port) {
  const inner = connect(port, '127.0.0.1');
  connection.pipe(inner).pipe(connection);
  connection.on('error', () => inner.destroy());
  inner.on('error', () => connection.destroy());
}

const addresses = Object.values(networkInterfaces())
  .flat()
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address);

for (const address of addresses) {
  for (const port of PORTS) createServer((socket) => pass(socket, port)).listen(port, address);
}

const service = spawn(
  process.execPath,
  [
    '/stowage/bin/stowage.js',
    ...['start', '--cdk-out', '/stowage/cdk.out', '--stack', 'stowage-dev', '--data', '/data'],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => process.exit(code ?? 1));
