/**
 * Puts the time and the randomness of a simulation in the place of those of the process, for code
 * that asks the process for them: the client, and the secrets of core.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { SeededRandom } from './random';
import type { Timer, VirtualTime } from './virtual-time';

/** Calls `work` with both replaced, and restores the process afterwards. */
export async function withReplacedGlobals<T>(
  time: VirtualTime,
  random: SeededRandom,
  work: () => Promise<T>,
): Promise<T> {
  const restore = [
    ...replace(globalThis, {
      setTimeout: (run: () => void, milliseconds = 0) => time.after(milliseconds, run),
      clearTimeout: (timer: Timer | undefined) => time.cancel(timer),
      setInterval: unavailable('setInterval'),
      performance: { timeOrigin: 0, now: () => time.now },
    }),
    ...replace(Date, { now: () => time.now }),
    ...replace(Math, { random: () => random.next() }),
    ...replace(AbortSignal, { timeout: unavailable('AbortSignal.timeout') }),
    ...replace(globalThis.crypto, {
      getRandomValues: (array: Uint8Array) => {
        array.set(random.bytes(array.length));
        return array;
      },
    }),
    ...replace(crypto, {
      randomBytes: (length: number) => Buffer.from(random.bytes(length)),
      randomInt: (max: number) => Math.floor(random.next() * max),
      randomUUID: unavailable('randomUUID'),
    }),
  ];
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const one of restore) one();
    syncBuiltinESMExports();
  }
}

/** Nothing in a simulation uses it; if something does, the simulation must learn it. */
function unavailable(name: string) {
  return () => {
    throw new Error(`the simulation has no ${name}`);
  };
}

function replace(target: object, members: Readonly<Record<string, unknown>>): (() => void)[] {
  return Object.entries(members).map(([name, value]) => {
    const own = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
    return () => {
      if (own) Object.defineProperty(target, name, own);
      else Reflect.deleteProperty(target, name);
    };
  });
}
