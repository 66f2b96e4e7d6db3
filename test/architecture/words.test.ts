import { filesBelow } from './sources';

/** A word that only the authors understand, what to write instead, and where it may remain. */
interface Retired {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Files in which the word is the field's own term, or the name of something stored. */
  readonly except?: RegExp;
}

const RETIRED: readonly Retired[] = [
  { pattern: /\bwho(m)?ever\b/i, instead: 'the client, the writer, the caller' },
  { pattern: /\b(that|which) is none\b|\bnone any more\b/i, instead: 'does not exist' },
  { pattern: /\bbeside (itself|each other|themselves)\b/i, instead: 'concurrently' },
  { pattern: /\b(is|are|was|were|be|been|being) told\b|\btold of\b/i, instead: 'is notified' },
  { pattern: /\berrands?\b/i, instead: 'task' },
  {
    pattern: /\benrol(l?ed|ls?|ling|l?ments?)?\b/i,
    instead: 'register',
    except: /CHANGELOG/,
  },
  {
    pattern: /\bgraves?\b|\bbur(y|ied|ies)\b/i,
    instead: 'deleted bucket, purge',
    except: /CHANGELOG/,
  },
  { pattern: /\bfenc(e|es|ed|ing)\b/i, instead: 'gap fill', except: /CHANGELOG/ },
  { pattern: /\b(a|the|of) voids?\b|\bvoid entr(y|ies)\b/i, instead: 'no-op entry' },
  { pattern: /\bbucketlife\b|\blifeof\b|\blives of\b|\bthis life\b/i, instead: 'incarnation' },
  { pattern: /\bhandednumber\b|\bhands? out\b|\bhanded out\b/i, instead: 'allocate' },
  { pattern: /\bleft in peace\b|\bin earnest\b|\bfor ever\b/i, instead: 'plain words' },
  { pattern: /\bstranger (field|setting)|\bconst stranger\b/i, instead: 'unknown field' },
  { pattern: /\bpatien(ce|tly)\b/i, instead: 'timeout' },
  { pattern: /\bforgiv(e|es|ing)\b/i, instead: 'clamp' },
  { pattern: /\bunder way\b/i, instead: 'in progress' },
  { pattern: /\bgoes on\b|\bgo on\b/i, instead: 'continues' },
];

/** Words that are retired in the product only: the emulator uses some of them in AWS's sense. */
const RETIRED_IN_PRODUCT: readonly Retired[] = [
  {
    pattern: /\bdeliver(s|ed|y|ies|ing)?\b/i,
    instead: 'publish (to channels), notify (targets)',
    // The stored published mark.
    except: /dynamodb\//,
  },
  { pattern: /\bfeeds?\b/i, instead: 'change log, subscription' },
  { pattern: /\bmint(s|ed|ing)?\b/i, instead: 'sign (a URL), make (a ticket, a temporary key)' },
  { pattern: /\bshar(e|ed|ing) links?\b/i, instead: 'link' },
  { pattern: /\b(child|sub)[- ]keys?\b/i, instead: 'temporary key' },
  { pattern: /\b(hash|log) chains?\b|\brolling hash/i, instead: 'digest' },
  { pattern: /\b(multi|bulk)[- ](commit|write|put|delete)/i, instead: 'commit' },
];

const PRODUCT = /^(adapters|bin|cli|client|core|dashboard\/src|lambdas|lib|openapi|service)\//;

const GENERATED = /^(docs\/reference\/|dashboard\/public)/;

const texts = filesBelow('', ['.ts', '.tsx', '.mjs', '.js', '.md', '.pml', '.sh', '.css']).filter(
  ({ path }) => !GENERATED.test(path) && path !== 'test/architecture/words.test.ts',
);

function found({ pattern, except }: Retired, files = texts): readonly string[] {
  return files
    .filter(({ path }) => except === undefined || !except.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          pattern.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 80)}`] : [],
        ),
    );
}

test.each(RETIRED.map((word) => [word.instead, word] as const))(
  'sources and documents say: %s',
  (_instead, word) => {
    expect(found(word)).toEqual([]);
  },
);

test.each(RETIRED_IN_PRODUCT.map((word) => [word.instead, word] as const))(
  'the product says: %s',
  (_instead, word) => {
    const product = texts.filter(({ path }) => PRODUCT.test(path));
    expect(found(word, product)).toEqual([]);
  },
);

test('a retired word is found in a comment', () => {
  const file = { path: 'core/a.ts', text: '// Whoever reads it.' };
  expect(RETIRED.flatMap((word) => found(word, [file]))).toHaveLength(1);
});
