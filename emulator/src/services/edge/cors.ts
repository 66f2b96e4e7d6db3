/**
 * The CORS settings of a response headers policy ("Understand response headers policies"). Headers
 * that a preflight asks for are left to the function: CloudFront's are not emulated, and it adds no
 * Vary that AWS does not document.
 */
import type { Properties } from '../../template/properties';

export interface Cors {
  readonly origins: readonly string[];
  readonly exposed: readonly string[];
}

export function readCors(cors: Properties): Cors {
  cors.only(
    'AccessControlAllowCredentials',
    'AccessControlAllowHeaders',
    'AccessControlAllowMethods',
    'AccessControlAllowOrigins',
    'AccessControlExposeHeaders',
    'OriginOverride',
  );
  cors.mustBeOff('AccessControlAllowCredentials');
  cors.mustBeOff('OriginOverride');
  const items = (name: string) => cors.object(name)?.only('Items').strings('Items') ?? [];
  for (const name of ['AccessControlAllowHeaders', 'AccessControlAllowMethods']) {
    if (items(name).length === 0) cors.refuse('must not be empty', name);
  }
  const origins = items('AccessControlAllowOrigins');
  const isPlain = origins.every((origin) => origin === '*' || !origin.includes('*'));
  if (origins.length === 0 || !isPlain || (origins.includes('*') && origins.length > 1)) {
    cors.refuse("must be whole origins, or '*' alone", 'AccessControlAllowOrigins');
  }
  return { origins, exposed: items('AccessControlExposeHeaders') };
}

/** Without OriginOverride, a response with such headers keeps its own. */
export function corsHeaders(
  { origins, exposed }: Cors,
  origin: string,
  headers: readonly string[],
): string[] {
  const hasOwn = headers.some((name, at) => at % 2 === 0 && /^access-control-/i.test(name));
  const any = origins.includes('*');
  if (hasOwn || !(any || origins.includes(origin))) return [];
  const expose = exposed.length > 0 ? ['Access-Control-Expose-Headers', exposed.join(', ')] : [];
  return ['Access-Control-Allow-Origin', any ? '*' : origin, ...expose];
}
