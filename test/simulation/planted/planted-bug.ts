/** A bug as a change to the service could bring it, with the check that must find it. */
import type { Ports } from '../service/environment';

export interface PlantedBug {
  readonly title: string;
  /** The first seed that finds it, from which the search begins: a change here may move it. */
  readonly seed: number;
  /** Any of these must report it. */
  readonly foundBy: readonly string[];
  readonly plant: (ports: Ports, environment: string) => Ports;
}

/** The port with some methods in other words. */
export function changed<P extends object>(port: P, methods: Partial<P>): P {
  return new Proxy(port, {
    get: (target, name) => Reflect.get(name in methods ? methods : target, name),
  });
}

/** True each so many times. */
export function each(times: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % times === 0;
  };
}

export const isOf = (environment: string, name: string) => environment.startsWith(`${name}-`);
