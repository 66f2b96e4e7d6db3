// Types are tsc's job (`npm run types`); the tests only need the TypeScript syntax removed.
const { transformSync } = require('esbuild');

module.exports = {
  process: (source, path) =>
    transformSync(source, {
      loader: 'ts',
      format: 'cjs',
      target: 'node20',
      // Jest runs import() only with an experimental flag of Node.js.
      supported: { 'dynamic-import': false },
      sourcemap: 'inline',
      sourcefile: path,
    }),
};
