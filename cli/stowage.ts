/** `npx stowage COMMAND`: the commands for projects that use the npm package. */

const USAGE = `usage: stowage COMMAND [options]

start       run a synthesized stack (cdk.out) on this machine
create-key  create an API key, for the local service or a deployed one
revoke-key  revoke an API key, of the local service or a deployed one
sign-in     print an access token for /admin/v1 of the local service
follow      print the changes of a bucket as they happen
smoke       try out a deployment, within a minute
restore     restore a deployment from restored tables, or from S3 alone

"stowage COMMAND --help" lists the options of a command.`;

const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  start: async () => {
    const { serve } = await import('./start');
    await serve(process.argv.slice(2), {
      start: 'stowage start',
      createKey: 'npx stowage create-key',
      separator: '',
    });
  },
  'create-key': () => import('./create-key'),
  'revoke-key': () => import('./revoke-key'),
  'sign-in': () => import('./sign-in'),
  follow: () => import('./follow'),
  smoke: () => import('./smoke'),
  restore: () => import('./restore'),
};

const [name = '--help'] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command !== undefined) {
  void command();
} else if (name === '--help') {
  console.log(USAGE);
} else {
  console.error(`stowage has no command ${name}\n\n${USAGE}`);
  process.exitCode = 1;
}
