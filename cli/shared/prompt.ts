/** Questions to the user, on standard error: standard output is for results. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { UsageError } from './errors';

/** Reports whether a user can be asked: both streams must be a terminal. */
export function isAsked(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Asks the user and reports whether the answer is yes. Throws UsageError without a terminal, so
 * that no script deletes by accident.
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!isAsked()) throw new UsageError(`${question} Pass --yes to do it without a terminal`);
  const answer = await ask(`${question} [y/N] `, signal);
  return /^y(es)?$/i.test(answer.trim());
}

export async function ask(question: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Without a listener, Ctrl-C is another failure.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    return await lines.question(question, { signal });
  } finally {
    lines.close();
  }
}

/** Reads a secret: typed without an echo, or the first line of standard input. */
export async function askSecret(question: string, signal: AbortSignal): Promise<string> {
  if (!isAsked()) return firstLine();
  process.stderr.write(question);
  process.stdin.setRawMode(true);
  try {
    return await typed(signal);
  } finally {
    process.stdin.setRawMode(false);
    process.stdin.pause();
    process.stderr.write('\n');
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return (text.split('\n')[0] ?? '').trim();
}

/** In raw mode, the terminal does not make a signal of Ctrl-C. */
async function typed(signal: AbortSignal): Promise<string> {
  let text = '';
  for (;;) {
    const [chunk] = (await once(process.stdin, 'data', { signal })) as [Buffer];
    for (const character of chunk.toString('utf8')) {
      if (character === '\r' || character === '\n') return text;
      if (character === '\u0003') process.kill(process.pid, 'SIGINT');
      else if (character === '\u007f' || character === '\b') text = text.slice(0, -1);
      else text += character;
    }
  }
}
