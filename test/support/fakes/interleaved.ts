/** A moment just before or after an operation of a port takes effect. */
export interface Step {
  /** As in `Fakes`: `commits`. */
  readonly port: string;
  /** As in the port: `commit`. */
  readonly operation: string;
  readonly when: 'before' | 'after';
}

/**
 * Awaited before and after each operation; operations themselves take effect at once. A test may
 * suspend here to let others run first, never continue (a crash), or throw: before, the operation
 * does not happen; after, it has happened and its response is lost.
 */
export type YieldPoint = (step: Step) => Promise<void> | void;

/**
 * Thrown by a yield point: a broken connection, for which `commits.commit` returns `unknown` as
 * the adapter does.
 */
export class ConnectionLost extends Error {}

/** The same port with a yield point before and after each operation. */
export function interleaved<P extends object>(port: string, fake: P, yieldPoint: YieldPoint): P {
  return new Proxy(fake, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function' || typeof property !== 'string') return member;
      return async (...parameters: unknown[]) => {
        try {
          await yieldPoint({ port, operation: property, when: 'before' });
          const result: unknown = await Reflect.apply(member, target, parameters);
          await yieldPoint({ port, operation: property, when: 'after' });
          return result;
        } catch (cause) {
          if (property === 'commit' && cause instanceof ConnectionLost) {
            return { result: 'unknown', cause };
          }
          throw cause;
        }
      };
    },
  });
}
