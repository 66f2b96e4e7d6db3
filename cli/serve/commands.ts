/** Commands of the service in one process and its data folder: docs/serve.md. */
import type { Command } from 'commander';
import { examples, wholeNumber } from '../shared/help';
import { act } from '../shared/session';
import type { ServeOptions } from './options';

export function serveCommands(program: Command): void {
  program.commandsGroup('The service on this machine:');
  serveCommand(program);
  const check = program
    .command('check')
    .description('prove that a data folder is sound, or name what is not')
    .argument('[folder]', 'the data folder, also of a running service (default: .local)')
    .action(
      act(async (session, folder: string | undefined) =>
        (await import('./folders')).checkCommand(session, folder),
      ),
    );
  examples(check, ['stowage check /var/lib/stowage']);
  const backup = program
    .command('backup')
    .description('make or renew a backup of a data folder, also while it is served')
    .argument('<target>', 'the folder of the backup')
    .action(
      act(async (session, target: string) =>
        (await import('./folders')).backupCommand(session, target),
      ),
    );
  examples(backup, [
    'stowage backup --data /var/lib/stowage /backup/stowage',
    'stowage check /backup/stowage',
  ]);
}

function serveCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('run the service in this process, with its data in a folder')
    .optionsGroup('Where:')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <port>', 'the port; 0: any free one', wholeNumber('--port'), 7070)
    .option('--memory', 'keep everything in memory, and nothing after the end')
    .option('--tls-cert <file>', 'its certificate with the chain, PEM; renewed ones are loaded')
    .option('--tls-key <file>', 'the private key of the certificate, PEM')
    .optionsGroup('For whom:')
    .option('--origin <origin...>', 'pages that may use it beside those of this machine; * = any')
    .option('--max-connections <n>', 'at most this many', wholeNumber('--max-connections', 1))
    .option(
      '--oidc-issuer <url>',
      'who signs administrators in (default: links of stowage sign-in)',
    )
    .option('--oidc-client-id <id>', 'the client of the dashboard at the issuer')
    .option('--oidc-audience <text>', 'the claim aud of access tokens')
    .option('--oidc-scopes <scopes>', 'the scopes to request', 'openid profile email')
    .option('--admin-claim <name=value>', 'the claim that makes a person an administrator')
    .optionsGroup('How:')
    .option('--retention <days>', 'how long earlier states are readable', days, 30)
    .option('--no-rate-limits', 'API keys may send any number of requests')
    .option('--metrics-port <port>', 'serve /metrics here', wholeNumber('--metrics-port'))
    .option('--log-requests', 'log a line of JSON for each request')
    .option('--quiet', 'print neither the API key nor a sign-in link: for a log');
  command.action(
    act(async (session, options: ServeOptions) =>
      (await import('./serve')).serveCommand(session, options),
    ),
  );
  examples(command, [
    'stowage serve                                     # data in .local',
    'stowage serve --data /var/lib/stowage --port 8080',
    'stowage serve --host 0.0.0.0 --url https://files.example.com \\',
    '  --tls-cert cert.pem --tls-key key.pem --quiet',
  ]).addHelpText(
    'after',
    '\nWith --url clients reach it at another address, such as that of a proxy. Ctrl-C stops it.',
  );
}

const days = wholeNumber('--retention', 1);
