/** The container's recipe and the page about other platforms name the engine that was tested. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ENGINE_CRATE } from '../../emulator/src/services/dynamodb/engine/binary';

test.each(['container/Dockerfile', 'docs/local.md'])('%s installs the tested engine', (file) => {
  const text = readFileSync(path.join(__dirname, '../..', file), 'utf8');
  expect(text).toContain(`cargo install ${ENGINE_CRATE} --locked`);
});
