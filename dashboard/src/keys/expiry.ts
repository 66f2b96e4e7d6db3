/** The choices for the expiry of a key. */

export const EXPIRIES = [
  { value: 'never', label: 'Never', days: undefined },
  { value: '1', label: 'In one day', days: 1 },
  { value: '7', label: 'In 7 days', days: 7 },
  { value: '30', label: 'In 30 days', days: 30 },
  { value: '90', label: 'In 90 days', days: 90 },
  { value: '365', label: 'In one year', days: 365 },
] as const;

export type ExpiryChoice = (typeof EXPIRIES)[number]['value'] | 'date' | 'keep';

interface ExpiryInput {
  readonly choice: ExpiryChoice;
  /** The day, such as `2027-01-31`, if the choice is `date`. */
  readonly date: string;
  /** The expiry that the key has. */
  readonly current: string | undefined;
}

/** Returns the end of the chosen day in the user's time zone, as ISO 8601; null: no expiry. */
export function expiryOf({ choice, date, current }: ExpiryInput, now: number): string | null {
  if (choice === 'keep') return current ?? null;
  if (choice === 'date') return new Date(endOf(date)).toISOString();
  const days = EXPIRIES.find(({ value }) => value === choice)?.days;
  return days === undefined ? null : new Date(now + days * 86_400_000).toISOString();
}

/** Returns what is wrong with the chosen day; undefined: it is valid. */
export function dateError({ choice, date }: ExpiryInput, now: number): string | undefined {
  if (choice !== 'date') return undefined;
  const end = endOf(date);
  if (Number.isNaN(end)) return 'Choose a day.';
  return end <= now ? 'Choose a day that is not over.' : undefined;
}

function endOf(date: string): number {
  return Date.parse(`${date}T23:59:59.999`);
}
