// Types are tsc's job (`npm run types`); the tests only need the TypeScript syntax removed.
const { transformSync } = require('esbuild');

module.exports = {
  process: (source, path) =>
    transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      target: 'node20',
      sourcemap: 'inline',
      sourcefile: path,
    }),
};
