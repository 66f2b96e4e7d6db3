// Leaves a line for each attempt in the file that the event names; fails as often as it says.
const { appendFileSync, readFileSync } = require('node:fs');
exports.handler = async ({ file, name, failures = 0 }) => {
  appendFileSync(file, `${name}\n`);
  const attempts = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line === name).length;
  if (attempts <= failures) throw new Error(`attempt ${attempts}`);
};
