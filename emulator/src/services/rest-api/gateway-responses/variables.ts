/** The values of `$context` and `$stageVariables` for one request. */
export interface Variables {
  readonly context: Readonly<Record<string, unknown>>;
  readonly stageVariables: Readonly<Record<string, string>> | null;
}

export type Encode = (text: string, name: string) => string;

/** A text with variables. Gateway responses support no other part of VTL. */
export interface Template {
  /** Names as written, without the `$`: `context.error.message`. */
  readonly names: readonly string[];
  /**
   * Replaces the variables. `missing` replaces a variable without a value; `encode` receives each
   * value with the variable's name.
   */
  render(variables: Variables, missing: string, encode?: Encode): string;
}

const NAME = /\$(!?)(\{?)([A-Za-z][\w-]*(?:\.[A-Za-z_][\w-]*)*)(\}?)/g;

/** Throws Error for a VTL directive (`#if`), and for a reference in braces or with `!`. */
export function compileTemplate(source: string): Template {
  const directive =
    /#(?:set|if|else|elseif|end|foreach|include|parse|stop|break|evaluate|define|macro)\b/.exec(
      source,
    );
  if (directive) throw new Error(`uses ${directive[0]}: only variables are replaced`);
  const texts: string[] = [];
  const names: string[] = [];
  let end = 0;
  for (const match of source.matchAll(NAME)) {
    const [whole, silent, open, name = '', close] = match;
    if (silent || open) throw new Error(`uses ${whole}: write $${name}`);
    texts.push(source.slice(end, match.index));
    names.push(name);
    // A `}` after a plain name is text: {"id":$context.requestId}
    end = match.index + whole.length - (close?.length ?? 0);
  }
  texts.push(source.slice(end));
  const paths = names.map((name) => name.split('.'));
  return {
    names,
    render: (variables, missing, encode = identity) => {
      let text = texts[0] ?? '';
      for (let i = 0; i < paths.length; i++) {
        const value = textOf(lookUp(variables, paths[i] ?? []), missing);
        text += encode(value, names[i] ?? '') + (texts[i + 1] ?? '');
      }
      return text;
    },
  };
}

function identity(text: string): string {
  return text;
}

/** Reads own properties only: `$context.constructor` has no value. */
export function lookUp(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

function textOf(value: unknown, missing: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return missing;
}
