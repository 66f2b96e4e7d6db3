import { isRecord, type Json } from '../../values/json';
import { invalidParameter, SqsError } from './errors';

/**
 * Reads the members of a request or of one of its entries. Every method throws SqsError for a
 * member of the wrong type or value.
 */
export class Input {
  private constructor(readonly values: Json) {}

  static parse(body: Buffer): Input {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      throw new SqsError('SerializationException', 'the request is not JSON');
    }
    return Input.of(value, 'the request');
  }

  private static of(value: unknown, what: string): Input {
    if (!isRecord(value)) throw new SqsError('SerializationException', `${what} must be an object`);
    return new Input(value);
  }

  /** Throws for any other member. AWS ignores unknown members; here a misspelt member must fail. */
  only(known: readonly string[]): this {
    for (const [name, value] of Object.entries(this.values)) {
      if (known.includes(name) || value === null) continue;
      throw new SqsError('UnsupportedOperation', `the emulator does not support ${name}`);
    }
    return this;
  }

  has(name: string): boolean {
    const value = this.values[name];
    return value !== undefined && value !== null;
  }

  text(name: string): string {
    const value = this.values[name];
    if (!this.has(name) || value === '') {
      throw new SqsError('MissingParameter', `The request must contain the parameter ${name}.`);
    }
    if (typeof value !== 'string') {
      throw new SqsError('SerializationException', `${name} must be a string`);
    }
    return value;
  }

  /** undefined: absent. */
  integer(name: string, least: number, most: number): number | undefined {
    if (!this.has(name)) return undefined;
    const value = this.values[name];
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw new SqsError('SerializationException', `${name} must be an integer`);
    }
    if (value < least || value > most) {
      throw invalidParameter(name, value, `Must be between ${least} and ${most}, if provided`);
    }
    return value;
  }

  /** An absent list is empty. */
  texts(name: string): readonly string[] {
    const values = this.array(name);
    return values.map((value) => {
      if (typeof value === 'string') return value;
      throw new SqsError('SerializationException', `${name} must be a list of strings`);
    });
  }

  /** The 1 to 10 entries of a batch, with distinct ids. */
  entries(): readonly { readonly id: string; readonly entry: Input }[] {
    const entries = this.array('Entries').map((entry) => Input.of(entry, 'an entry'));
    if (entries.length === 0) {
      throw new SqsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
    }
    if (entries.length > 10) {
      throw new SqsError(
        'TooManyEntriesInBatchRequest',
        `Maximum number of entries per request are 10. You have sent ${entries.length}.`,
      );
    }
    const ids = new Set<string>();
    return entries.map((entry) => {
      const id = entry.text('Id');
      if (!/^[\w-]{1,80}$/.test(id)) {
        throw new SqsError(
          'InvalidBatchEntryId',
          'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
        );
      }
      if (ids.has(id)) {
        throw new SqsError('BatchEntryIdsNotDistinct', `Id ${id} repeated.`);
      }
      ids.add(id);
      return { id, entry };
    });
  }

  private array(name: string): readonly unknown[] {
    if (!this.has(name)) return [];
    const value = this.values[name];
    if (Array.isArray(value)) return value;
    throw new SqsError('SerializationException', `${name} must be a list`);
  }
}
