/**
 * S3's XML: renders the documents of responses, and parses the bodies of requests with
 * fast-xml-parser, without trusting them.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isRecord } from '../../../values/json';
import { S3Error } from './errors';

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

type Scalar = string | number | boolean;
/** An array repeats its element; undefined omits it. */
export interface XmlElement {
  readonly [name: string]: Scalar | undefined | XmlElement | readonly (Scalar | XmlElement)[];
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * Control characters become character references, as in S3. They are illegal in XML 1.0, which is
 * why S3 has encoding-type=url.
 */
function escapeText(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: keys may contain control characters
    /[&<>"\u0000-\u001f\u007f-\u009f\u2028\ufffe\uffff]/g,
    (character) => ESCAPES[character] ?? `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

function render(name: string, value: XmlElement[string]): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => render(name, item)).join('');
  if (typeof value !== 'object') return `<${name}>${escapeText(String(value))}</${name}>`;
  return `<${name}>${renderChildren(value as XmlElement)}</${name}>`;
}

function renderChildren(element: XmlElement): string {
  return Object.entries(element)
    .map(([name, value]) => render(name, value))
    .join('');
}

/** Renders a response document in S3's namespace. */
export function xmlDocument(root: string, content: XmlElement): string {
  return `${DECLARATION}<${root} xmlns="${NAMESPACE}">${renderChildren(content)}</${root}>`;
}

/** Renders an `<Error>`: the only document that S3 sends without a namespace. */
export function xmlError(content: XmlElement): string {
  return `${DECLARATION}<Error>${renderChildren(content)}</Error>`;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  // Spaces at the ends of a key belong to the key.
  trimValues: false,
  // Decodes numeric references, which the SDK writes for line ends.
  htmlEntities: true,
});

/**
 * Returns the children of the root element. Throws MalformedXML for another root, a document type,
 * and XML that is not well-formed.
 */
export function parseXml(body: Buffer, root: string): Record<string, unknown> {
  const text = body.toString('utf8');
  // S3's documents have no document type; one can only serve an entity expansion attack.
  if (text.includes('<!DOCTYPE')) throw new S3Error('MalformedXML');
  const document = parse(text);
  const content = isRecord(document) ? document[root] : undefined;
  if (!isRecord(content)) throw new S3Error('MalformedXML');
  return content;
}

function parse(text: string): unknown {
  try {
    if (XMLValidator.validate(text) === true) return parser.parse(text);
  } catch (cause) {
    // The parser throws for names such as `__proto__` and for deep nesting.
    throw new S3Error('MalformedXML', { cause });
  }
  throw new S3Error('MalformedXML');
}

/** Returns all children of that name. */
export function children(content: Record<string, unknown>, name: string): readonly unknown[] {
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * Returns the text of a child; undefined when it is absent. Throws MalformedXML when it is repeated
 * or has children.
 */
export function text(content: unknown, name: string): string | undefined {
  if (!isRecord(content)) throw new S3Error('MalformedXML');
  const value = Object.hasOwn(content, name) ? content[name] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new S3Error('MalformedXML');
}

/** A time as S3 writes it in XML: whole seconds, with milliseconds of zero. */
export function formatTime(milliseconds: number): string {
  return new Date(Math.floor(milliseconds / 1000) * 1000).toISOString();
}
