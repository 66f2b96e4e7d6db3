import { UserError } from '../errors/user-error';

/**
 * Parses a list of faults of the command line such as `repeat=0.2,seed=7`. `largest` has the
 * largest value of each fault by name; `seed` may be any number. Throws UserError that names the
 * invalid part.
 */
export function parseFaultList<Name extends string>(
  text: string,
  service: string,
  largest: Readonly<Record<Name, number>>,
): { readonly seed: number } & { readonly [name in Name]?: number } {
  const limits = new Map<string, number>(Object.entries(largest)).set('seed', Infinity);
  const values = text.split(',').map((part) => {
    const [, name = '', digits] = /^([a-z-]+)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    const limit = limits.get(name);
    if (limit !== undefined && Number(digits) <= limit) return [name, Number(digits)] as const;
    const known = [...limits].map(([fault, most]) =>
      most === Infinity ? fault : `${fault} (0 to ${most})`,
    );
    throw new UserError(`${part} is not a fault of ${service}: use ${known.join(', ')}`);
  });
  return { seed: 1, ...(Object.fromEntries(values) as { readonly [name in Name]?: number }) };
}
