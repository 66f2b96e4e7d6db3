/**
 * `it` of this suite: registers a behaviour with jest unless the target lacks a capability it
 * needs. The inventory reads the same registrations.
 */
import { type Capability, switchedOff } from './capabilities';

export interface Behaviour {
  readonly name: string;
  readonly needs: readonly Capability[];
}

type Run = () => Promise<void>;

/** Names of behaviours that do not run, one a line: run.ts prints them with the reasons. */
const EXCEPTED: ReadonlySet<string> = new Set(process.env.EXCEPT?.split('\n'));

let inherited: readonly Capability[] = [];
let recorder: ((behaviour: Behaviour) => void) | undefined;

/** For the inventory: records every behaviour from now on, instead of registering it with jest. */
export function recordBehaviours(record: (behaviour: Behaviour) => void): void {
  recorder = record;
}

function isServed(needs: readonly Capability[]): boolean {
  const off = switchedOff();
  return recorder !== undefined || !needs.some((need) => off.has(need));
}

/**
 * Every behaviour registered in the body needs these too. Without them the body, with its hooks,
 * does not run.
 */
export function needing(needs: readonly Capability[], body: () => void): void {
  if (!isServed(needs)) return;
  const outer = inherited;
  inherited = [...outer, ...needs];
  body();
  inherited = outer;
}

/** Registers a behaviour that needs these capabilities. */
export function it(
  name: string,
  ...rest: [run: Run] | [needs: readonly Capability[], run: Run]
): void {
  const [own, run] = rest.length === 1 ? [[], rest[0]] : rest;
  const needs = [...new Set([...inherited, ...own])];
  if (recorder !== undefined) recorder({ name, needs });
  else if (isServed(needs) && !EXCEPTED.has(name)) globalThis.it(name, run);
}
