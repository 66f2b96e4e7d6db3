import { UserError } from '../errors/user-error';

/** The values of a list of faults, by name. */
export interface FaultList {
  readonly [name: string]: number | undefined;
  readonly seed: number;
}

/**
 * Parses a list of faults of the command line such as `repeat=0.2,seed=7`. `largest` has the
 * largest value of each fault by name; `seed` may be any number. Throws UserError that names the
 * invalid part.
 */
export function parseFaultList(
  text: string,
  service: string,
  largest: Readonly<Record<string, number>>,
): FaultList {
  const limits = new Map([...Object.entries(largest), ['seed', Infinity] as const]);
  const values = text.split(',').map((part) => {
    const [, name = '', digits] = /^([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const limit = limits.get(name);
    if (limit !== undefined && Number(digits) <= limit) return [name, Number(digits)] as const;
    const known = [...limits].map(([fault, most]) =>
      most === Infinity ? fault : `${fault} (0 to ${most})`,
    );
    throw new UserError(`${part} is not a fault of ${service}: use ${known.join(', ')}`);
  });
  return { seed: 1, ...Object.fromEntries(values) };
}
