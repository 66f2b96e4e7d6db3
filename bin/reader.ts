/** Settings that a deployer wrote as JSON. */
export type Settings = Readonly<Record<string, unknown>>;

export function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads an object of settings. Each method returns undefined for a missing setting, and throws an
 * Error that names the setting, the expected value and the given value.
 */
export class Reader {
  private readonly known: string[] = [];

  constructor(
    /** The beginning of error messages: `environment dev`. */
    private readonly place: string,
    private readonly settings: Settings,
    /** The path within another object: `edge.`. */
    private readonly path = '',
  ) {}

  text(key: string): string | undefined {
    const value = this.take(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrong(key, 'a string', value);
  }

  /** A required string. */
  required(key: string): string {
    const value = this.text(key);
    if (value === undefined) throw new Error(`${this.place}: ${this.path}${key} is missing`);
    return value;
  }

  /** A string that matches; `expected` describes the form for the error message. */
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

  numberOrFalse(key: string): number | false | undefined {
    const value = this.take(key);
    if (value === undefined || value === false || typeof value === 'number') return value;
    throw this.wrong(key, 'a number or false', value);
  }

  texts(key: string): string[] | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.wrong(key, 'a list of strings', value);
  }

  /** Every setting, of any name, each a string. */
  allTexts(): Record<string, string> {
    const texts = Object.keys(this.settings).map((key) => [key, this.required(key)]);
    return Object.fromEntries(texts);
  }

  /** An object that the caller validates. */
  object(key: string): Settings | undefined {
    const value = this.take(key);
    if (value === undefined || isSettings(value)) return value;
    throw this.wrong(key, 'an object', value);
  }

  /** A nested object; `read` reads all of its settings. */
  inner<T>(key: string, read: (settings: Reader) => T): T | undefined {
    const value = this.object(key);
    return value && this.readInner(key, value, read);
  }

  /** A nested object, or `false`. */
  innerOrFalse<T>(key: string, read: (settings: Reader) => T): T | false | undefined {
    const value = this.take(key);
    if (value === undefined || value === false) return value;
    if (!isSettings(value)) throw this.wrong(key, 'an object or false', value);
    return this.readInner(key, value, read);
  }

  /** The value that `choices` has for the setting. */
  choice<T>(key: string, choices: Readonly<Record<string, T>>): T | undefined {
    const value = this.take(key);
    if (value === undefined) return undefined;
    const chosen = Object.entries(choices).find(([name]) => name === String(value));
    if (chosen === undefined) throw this.wrong(key, Object.keys(choices).join(', '), value);
    return chosen[1];
  }

  /** Throws an Error for a setting that was not read, so that no misspelt setting is ignored. */
  finish(): void {
    const unknown = Object.keys(this.settings).find((key) => !this.known.includes(key));
    if (unknown === undefined) return;
    const near = nearest(unknown, this.known);
    const hint =
      near === undefined ? `settings are ${this.known.join(', ')}` : `did you mean ${near}?`;
    throw new Error(`${this.place}: ${this.path}${unknown} is not a setting; ${hint}`);
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

/** The known name with the most letter pairs in common; undefined when none is similar. */
function nearest(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, similarity: similarity(given, name) }))
    .sort((a, b) => b.similarity - a.similarity);
  return best && best.similarity > 0.7 ? best.name : undefined;
}

/** Share of the pairs of adjacent letters that both words contain, from 0 to 1 (Dice). */
function similarity(a: string, b: string): number {
  const [ofA, ofB] = [letterPairs(a), letterPairs(b)];
  const common = [...ofA].filter((pair) => ofB.has(pair));
  return (2 * common.length) / (ofA.size + ofB.size);
}

function letterPairs(word: string): ReadonlySet<string> {
  const letters = [...word.toLowerCase()];
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
}
