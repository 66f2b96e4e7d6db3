/** The type of an operation's description, from which the document is made. */
import type { ErrorCode } from '../core/errors';
import type { HeaderName } from './headers';
import type { ParameterName } from './parameters';

/** A JSON body by the name of its schema, or bytes without structure. */
export type Content =
  | { readonly json: string; readonly example?: unknown }
  | { readonly bytes: string; readonly orJson?: readonly string[] };

export interface Response {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: readonly HeaderName[];
}

export interface Operation {
  /** Unique. The id of HEAD is that of GET followed by `Head`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterName[];
  readonly body?: { readonly content: Content; readonly required: boolean };
  readonly responses: Readonly<Record<number, Response>>;
  /** Error codes in addition to those of every operation. */
  readonly errors?: readonly ErrorCode[];
  /** Needs no authentication. */
  readonly isPublic?: boolean;
}

/** A path of the interface. `Verb` excludes HEAD, which is derived from GET. */
export interface PathDescription<Verb extends string> {
  readonly path: string;
  readonly tag: string;
  readonly parameters: readonly ParameterName[];
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>;
}
