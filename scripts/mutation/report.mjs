// What a sample says about all changes.

/** `status`: of StrykerJS. */
export function noticed(status) {
  return status === 'Killed' || status === 'Timeout';
}

/** Lines: the score of each folder and of all with its interval, and what was not noticed. */
export function reportOf({ drawn, results, equivalent, title }) {
  const rows = drawn.map(({ sources, changes }) => {
    const tried = changes.filter(({ id }) => results[id] !== undefined);
    return { sources, tried, ...countsOf(tried, results, equivalent) };
  });
  const all = rows.flatMap(({ tried }) => tried);
  const total = { sources: 'all', tried: all, ...countsOf(all, results, equivalent) };
  const survivors = all.filter(({ id }) => !noticed(results[id]));
  const drawnCount = drawn.flatMap(({ changes }) => changes).length;
  return [
    `${title}: ${all.length} of ${drawnCount} drawn changes tried`,
    '',
    '| Folder | Tried | Noticed | Equivalent | Score |',
    '|---|---|---|---|---|',
    ...[...rows, total].map(lineOf),
    '',
    ...survivors.map((change) => survivorOf(change, results, equivalent)),
  ].join('\n');
}

function countsOf(changes, results, equivalent) {
  return {
    killed: changes.filter(({ id }) => noticed(results[id])).length,
    same: changes.filter(({ id }) => !noticed(results[id]) && equivalent[id]).length,
  };
}

/** A change that is equivalent cannot be noticed, and does not count. */
function lineOf({ sources, tried, killed, same }) {
  const counted = tried.length - same;
  const [low, high] = wilson(killed, counted);
  const score = `${percent(killed / counted)} (${percent(low)} to ${percent(high)})`;
  return `| ${sources} | ${tried.length} | ${killed} | ${same} | ${counted ? score : ''} |`;
}

/** The interval that contains the share of all with 95 % confidence, by Wilson's formula. */
export function wilson(successes, trials) {
  if (trials === 0) return [0, 1];
  const z = 1.96;
  const share = successes / trials;
  const middle = share + z ** 2 / (2 * trials);
  const half = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  const scale = 1 + z ** 2 / trials;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

function survivorOf({ id, file, location, original, replacement }, results, equivalent) {
  const place = `${file}:${location.start.line + 1}:${location.start.column + 1}`;
  const shown = (text) => text.replace(/\s+/g, ' ').slice(0, 100);
  const reason = equivalent[id] ? `equivalent: ${equivalent[id]}` : results[id];
  return `${id} ${place}\n  ${shown(original)}\n  => ${shown(replacement)}\n  ${reason}`;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
