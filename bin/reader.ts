/** Reading settings that somebody wrote as JSON: each must be known, and of the expected kind. */
export type Settings = Readonly<Record<string, unknown>>;

export function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads one object of settings; throws an Error that names the setting, what it must be and what it
 * is.
 */
export class Reader {
  private readonly known: string[] = [];

  constructor(
    /** As messages begin: `environment dev`. */
    private readonly place: string,
    private readonly settings: Settings,
    /** Within another object: `edge.`. */
    private readonly path = '',
  ) {}

  text(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrong(key, 'a text', value);
  }

  /** A text that cannot be left out. */
  required(key: string): string {
    const value = this.text(key);
    if (value === undefined) throw new Error(`${this.place}: ${this.path}${key} is missing`);
    return value;
  }

  /** A text of that form; `expected` says it in words. */
  pattern(key: string, form: RegExp, expected: string): string | undefined {
    const value = this.text(key);
    if (value === undefined || form.test(value)) return value;
    throw this.wrong(key, expected, value);
  }

  flag(key: string): boolean | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'boolean') return value;
    throw this.wrong(key, 'true or false', value);
  }

  number(key: string, least = Number.NEGATIVE_INFINITY): number | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (typeof value !== 'number') throw this.wrong(key, 'a number', value);
    if (value < least) throw this.wrong(key, `at least ${least}`, value);
    return value;
  }

  texts(key: string): string[] | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.wrong(key, 'a list of texts', value);
  }

  /** Told apart further by whoever takes it. */
  object(key: string): Settings | undefined {
    const value = this.take(key);
    if (value === undefined || isSettings(value)) return value;
    throw this.wrong(key, 'an object', value);
  }

  /** Settings within this one, all of which `read` reads. */
  inner<T>(key: string, read: (settings: Reader) => T): T | undefined {
    const value = this.object(key);
    return value && this.readInner(key, value, read);
  }

  /** The same, where `false` says that there is to be none. */
  innerOrFalse<T>(key: string, read: (settings: Reader) => T): T | false | undefined {
    const value = this.take(key);
    if (value === undefined || value === false) return value;
    if (!isSettings(value)) throw this.wrong(key, 'an object or false', value);
    return this.readInner(key, value, read);
  }

  /** One of the keys of `choices`, answered as what it stands for. */
  choice<T>(key: string, choices: Readonly<Record<string, T>>): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const chosen = Object.entries(choices).find(([name]) => name === String(value));
    if (chosen === undefined) throw this.wrong(key, Object.keys(choices).join(', '), value);
    return chosen[1];
  }

  /** Throws when a setting was not read: a misspelt one must not be ignored. */
  finish(): void {
    const unknown = Object.keys(this.settings).find((key) => !this.known.includes(key));
    if (unknown === undefined) return;
    const near = nearest(unknown, this.known);
    throw new Error(
      `${this.place}: ${this.path}${unknown} is no setting${near === undefined ? '' : `, did you mean ${near}?`}: known are ${this.known.join(', ')}`,
    );
  }

  private readInner<T>(key: string, settings: Settings, read: (settings: Reader) => T): T {
    const reader = new Reader(this.place, settings, `${this.path}${key}.`);
    const value = read(reader);
    reader.finish();
    return value;
  }

  private take(key: string): unknown {
    this.known.push(key);
    return this.settings[key];
  }

  private wrong(key: string, expected: string, value: unknown): Error {
    return new Error(
      `${this.place}: ${this.path}${key} must be ${expected}, got ${JSON.stringify(value)}`,
    );
  }
}

/** Of the names the one that a slip of the pen makes the given one of; undefined: none is near. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, steps: editSteps(given.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(1, given.length / 3) ? best.name : undefined;
}

/** Levenshtein's distance: letters to insert, delete or replace. */
function editSteps(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (b[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
