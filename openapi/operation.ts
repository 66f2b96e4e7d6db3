/** One operation of the interface, as data: everything that the document says of it. */
import type { ErrorCode } from '../core/errors';
import type { HeaderName } from './headers';
import type { JsonSchema } from './json-schema';
import type { ParameterName } from './parameters';

/** A JSON body by the name of its schema, or bytes that nobody looks into. */
export type Content =
  | { readonly json: string; readonly example?: unknown }
  | { readonly bytes: string; readonly orJson?: string };

export interface Answer {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
}

export interface Operation {
  /** Unique; HEAD has `Head` behind that of GET. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  readonly body?: { readonly content: Content; readonly required: boolean };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Beyond those of every operation. */
  readonly refusals?: readonly ErrorCode[];
  /** Needs nobody's name. */
  readonly isPublic?: boolean;
}

/** A path of the interface; `Verb` is every method but HEAD, which follows from GET. */
export interface PathDescription<Verb extends string> {
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly ParameterName[];
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>;
}

/** `in: path`, `query` or `header`. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
