/** The choices for the expiry of a key. */

export const EXPIRIES = [
  { value: 'never', label: 'Never', days: undefined },
  { value: '1', label: 'In one day', days: 1 },
  { value: '7', label: 'In 7 days', days: 7 },
  { value: '30', label: 'In 30 days', days: 30 },
  { value: '90', label: 'In 90 days', days: 90 },
  { value: '365', label: 'In one year', days: 365 },
] as const;

export type ExpiryChoice = (typeof EXPIRIES)[number]['value'] | 'keep';

/** ISO 8601; null: never. `now`: epoch milliseconds. */
export function expiryOf(choice: ExpiryChoice, current: string | undefined, now: number) {
  if (choice === 'keep') return current ?? null;
  const days = EXPIRIES.find(({ value }) => value === choice)?.days;
  return days === undefined ? null : new Date(now + days * 86_400_000).toISOString();
}
