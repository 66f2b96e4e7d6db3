import {
  DEFAULT_RATES,
  DEFAULT_TIER,
  LASTING_CLASSES,
  type LastingClass,
  type LastingRate,
  RATE_CLASSES,
  type Rate,
  type RateClass,
  type RateTiers,
  type TierRates,
} from '../../core/limits';

/** The limits of a tier by class. */
export type RateTier = Readonly<
  Partial<
    Record<Exclude<RateClass, LastingClass>, Rate> &
      Record<LastingClass, Rate & Partial<LastingRate>>
  >
>;

/** JSON of all tiers, in bytes: all variables of a function may take 4 KB. */
const TIERS_BYTES = 2048;

/**
 * The tiers, including `default`, each with every class. Throws an Error that names what to write
 * instead.
 */
export function completeTiers(given: Readonly<Record<string, RateTier>> = {}): RateTiers {
  for (const [name, tier] of Object.entries(given)) checkTier(name, tier);
  const fallback = completeTier(given[DEFAULT_TIER], DEFAULT_RATES);
  const tiers = Object.entries(given).map(([name, tier]) => [name, completeTier(tier, fallback)]);
  const complete: RateTiers = { ...Object.fromEntries(tiers), default: fallback };
  const bytes = Buffer.byteLength(JSON.stringify(complete));
  if (bytes > TIERS_BYTES) {
    throw new Error(
      `rateTiers must take at most ${TIERS_BYTES} bytes as JSON with all classes, got ${bytes}: define fewer tiers`,
    );
  }
  return complete;
}

function completeTier(tier: RateTier = {}, fallback: TierRates): TierRates {
  return {
    ...fallback,
    ...tier,
    wait: { ...fallback.wait, ...tier.wait },
    connect: { ...fallback.connect, ...tier.connect },
  };
}

/** Parses tiers that were written as JSON. Throws an Error that names what is wrong. */
export function parseTiers(
  value: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, RateTier>> | undefined {
  if (value === undefined) return undefined;
  const tiers: Record<string, RateTier> = {};
  for (const [name, tier] of Object.entries(value)) {
    checkTier(name, tier);
    tiers[name] = tier;
  }
  return tiers;
}

function checkTier(name: string, tier: unknown): asserts tier is RateTier {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) {
    throw new Error(
      `rateTiers: the name of a tier must be 1-31 of a-z, 0-9 and -, beginning with a letter, got '${name}'`,
    );
  }
  for (const [key, rate] of Object.entries(requireObject(`rateTiers.${name}`, tier))) {
    const place = `rateTiers.${name}.${key}`;
    if (!RATE_CLASSES.includes(key as RateClass)) {
      throw new Error(`${place} is not a class: use ${RATE_CLASSES.join(', ')}`);
    }
    const { rate: perSecond, burst, concurrent, ...rest } = requireObject(place, rate);
    if (Object.keys(rest).length > 0) {
      throw new Error(
        `${place} has ${Object.keys(rest)}: use rate, burst, and in the class wait concurrent`,
      );
    }
    if (concurrent !== undefined) checkConcurrent(key, `${place}.concurrent`, concurrent);
    requireNumber(`${place}.rate`, perSecond, 0.001, 10_000);
    if (!Number.isInteger(requireNumber(`${place}.burst`, burst, 1, 100_000))) {
      throw new Error(`${place}.burst must be a whole number of requests, got ${burst}`);
    }
  }
}

function checkConcurrent(name: string, place: string, value: unknown): void {
  if (!LASTING_CLASSES.includes(name as LastingClass)) {
    throw new Error(`${place} is only for ${LASTING_CLASSES.join(', ')}: use rate and burst`);
  }
  if (!Number.isInteger(requireNumber(place, value, 1, 1_000))) {
    throw new Error(`${place} must be a whole number, got ${value}`);
  }
}

function requireObject(place: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new Error(`${place} must be an object, got ${JSON.stringify(value)}`);
}

/** Refuses tokens too: tiers must be known at synthesis. */
function requireNumber(place: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new Error(`${place} must be a number from ${min} to ${max}, got ${value}`);
}
