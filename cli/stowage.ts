/** `npx stowage COMMAND`: what a project that imports the package needs beside the construct. */

const USAGE = `usage: stowage COMMAND [options]

start       runs a synthesized stack (cdk.out) on this machine
create-key  makes an API key, for the service that start runs or for a deployed one
sign-in     prints an access token for /admin/v1 of the service that start runs
follow      prints the changes of a bucket as they happen
restore     brings descriptors back from restored tables, or from S3 alone

stowage COMMAND --help lists the options of each but sign-in.`;

const COMMANDS: Readonly<Record<string, () => Promise<unknown>>> = {
  start: async () => {
    const { serve } = await import('./start');
    await serve(process.argv.slice(2), {
      start: 'stowage start',
      createKey: 'npx stowage create-key',
    });
  },
  'create-key': () => import('./create-key'),
  'sign-in': () => import('./sign-in'),
  follow: () => import('./follow'),
  restore: () => import('./restore'),
};

// A notice for whoever maintains the dependency, not for whoever runs the service.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

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
