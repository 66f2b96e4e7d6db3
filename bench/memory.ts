/** Memory of a process and its descendants, read from Linux's proc(5). */
import { readdirSync, readFileSync } from 'node:fs';

export interface MemorySample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** MB (10^6 bytes) of all processes. Shared pages count once (PSS). */
  readonly total: number;
  /** MB by command, the largest first. */
  readonly byCommand: Readonly<Record<string, number>>;
}

/** Throws on a system without /proc. */
export function sampleMemory(root: number): MemorySample {
  const commands = new Map<string, number>();
  for (const pid of [root, ...descendants(root)]) {
    const bytes = proportionalSet(pid);
    if (bytes === undefined) continue;
    commands.set(bytes.command, (commands.get(bytes.command) ?? 0) + bytes.megabytes);
  }
  const sorted = [...commands].sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, megabytes]) => sum + megabytes, 0);
  return { at: Date.now(), total, byCommand: Object.fromEntries(sorted) };
}

/** Takes a sample every `interval` milliseconds. Returns a function that stops it. */
export function watchMemory(root: number, interval: number): () => readonly MemorySample[] {
  const samples = [sampleMemory(root)];
  const timer = setInterval(() => samples.push(sampleMemory(root)), interval);
  // The timer must not keep a failed run from ending.
  timer.unref();
  return () => {
    clearInterval(timer);
    return [...samples, sampleMemory(root)];
  };
}

function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    // The parent is the second field after the command, which may contain spaces.
    const [, parent] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const found: number[] = [];
  for (let generation = [root]; generation.length > 0; found.push(...generation)) {
    generation = [...parents].filter(([, p]) => generation.includes(p)).map(([pid]) => pid);
  }
  return found;
}

/** undefined: the process has ended meanwhile. */
function proportionalSet(pid: number): { command: string; megabytes: number } | undefined {
  const command = read(`/proc/${pid}/comm`)?.trim();
  const [, pss] = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '') ?? [];
  const [, rss] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  // Where the kernel hides the share of a process, its whole resident set counts: an upper bound.
  const kilobytes = pss ?? rss;
  if (command === undefined || kilobytes === undefined) return undefined;
  return { command, megabytes: (Number(kilobytes) * 1024) / 1e6 };
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
