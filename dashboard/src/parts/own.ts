/** Look-ups by text of other people, which may be a name such as `constructor`. */

export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
