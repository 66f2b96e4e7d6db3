/** Every setting of an environment, with values that are valid or not; and one without settings. */
import { Template } from 'aws-cdk-lib/assertions';
import { parseEnvironments } from '../../bin/environments';
import { StorageStack } from '../../lib';
import { useApp, useBundles } from '../lib/synthesize';

interface Case {
  /** Accepted values. */
  readonly good: readonly unknown[];
  /** Values of a wrong type. */
  readonly wrong: readonly unknown[];
  /** Values of the right type that are refused. */
  readonly bad?: readonly unknown[];
}

const FLAG: Case = { good: [true, false], wrong: ['true', 1, null, {}] };
const POSITIVE: Case = { good: [1, 10_000], wrong: ['1', true, null, []], bad: [0, -1] };
const BURST: Case = { ...POSITIVE, bad: [0, -1, 1.5] };
const MEMORY: Case = { ...POSITIVE, good: [128, 10_240], bad: [127, 10_241, 512.5] };
const TEXT = [1, true, null, [], {}];

const ACCOUNT = { account: '123456789012', region: 'us-east-1' };
const ISSUER = {
  issuer: 'https://sign-in.example.com',
  clientId: 'dashboard',
  claim: 'groups',
  value: 'admins',
};
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/abc';
const NAMED = { domainName: 'files.example.com', certificateArn: CERTIFICATE };
const WEB_ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/name/id';
const RATE = { rate: 1, burst: 1 };

/** Values of a setting within an otherwise valid object. */
const within = (whole: object, key: string, values: readonly unknown[] = []) =>
  values.map((value) => ({ ...whole, [key]: value }));

const inner = (whole: object, key: string, { good, wrong, bad }: Case): Case => ({
  good: within(whole, key, good),
  wrong: within(whole, key, wrong),
  bad: within(whole, key, bad),
});

const CASES: Readonly<Record<string, Case | readonly Case[]>> = {
  account: { good: ['123456789012'], wrong: TEXT, bad: ['12345', 'mine', ''] },
  region: { good: ['us-east-1', 'us-gov-west-1'], wrong: TEXT, bad: ['frankfurt', 'eu', ''] },
  terminationProtection: FLAG,
  kmsKeyArn: {
    good: ['arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'],
    wrong: TEXT,
    bad: [
      'alias/mine',
      '',
      'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    ],
  },
  alarmTopicArn: {
    good: ['arn:aws:sns:us-east-1:123456789012:alarms'],
    wrong: TEXT,
    bad: ['alarms', '', 'arn:aws:sns:eu-central-1:123456789012:alarms'],
  },
  alarms: FLAG,
  consumerLagSeconds: { good: [1, 600], wrong: ['600', true, null, {}], bad: [0, -1, 0.5] },
  retentionHours: { good: [1, 24, 1.5], wrong: ['24', true, null, {}], bad: [0, -1, 0.5, 1.00001] },
  removalPolicy: {
    good: ['retain', 'destroy'],
    wrong: [true, null, [1]],
    bad: ['snapshot', 'Retain', ''],
  },
  deletionProtection: FLAG,
  tags: { good: [{}, { team: 'storage' }], wrong: ['team', true, null, [], { team: 1 }], bad: [] },
  permissionsBoundary: { good: ['boundary'], wrong: TEXT, bad: [] },
  versioned: FLAG,
  maxReadRequestUnits: BURST,
  maxWriteRequestUnits: BURST,
  responseStreaming: FLAG,
  secondFactor: FLAG,
  tracing: FLAG,
  logRetentionDays: { good: [1, 90, '90'], wrong: [true, null, {}], bad: [0, 8, -1, 9999] },
  throttlingRateLimit: POSITIVE,
  throttlingBurstLimit: BURST,
  syncThrottlingRateLimit: POSITIVE,
  syncThrottlingBurstLimit: BURST,
  apiGatewayLogRole: FLAG,
  allowedOrigins: {
    good: [[], ['*'], ['https://app.example.com']],
    wrong: ['*', [1], true, null, {}],
    bad: [
      ['https://app.example.com/'],
      ['app.example.com'],
      ['https://*.example.com'],
      ['HTTPS://A.example'],
      ['https://app.example.com:port'],
      Array.from({ length: 100 }, (_, n) => `https://${n}.example.com`),
    ],
  },
  dashboardUrls: {
    good: [['https://files.example.com/', 'http://localhost:5173/']],
    wrong: ['https://files.example.com/', [1], null, {}],
    bad: [[], ['http://files.example.com/'], ['https://files.example.com'], ['*']],
  },
  edge: [
    { good: [false, {}], wrong: [true, 'off', null, []] },
    inner(NAMED, 'domainName', {
      good: ['a.example'],
      wrong: TEXT,
      bad: ['localhost', 'https://files.example.com', 'Files.example.com', undefined],
    }),
    inner(NAMED, 'certificateArn', {
      good: [CERTIFICATE],
      wrong: TEXT,
      bad: ['abc', CERTIFICATE.replace('us-east-1', 'eu-central-1'), undefined],
    }),
    inner({}, 'requestsPerFiveMinutes', {
      ...POSITIVE,
      good: [10, 2e9, false],
      bad: [9, 2e9 + 1, 10.5],
    }),
    inner({}, 'originSecretVersion', { ...POSITIVE, good: [1, 12], bad: [0, -1, 1.5] }),
    inner({}, 'acceptNextOriginSecret', FLAG),
    inner({}, 'directDownloads', FLAG),
    inner({}, 'webAclArn', {
      good: [WEB_ACL],
      wrong: TEXT,
      bad: ['abc', WEB_ACL.replace('us-east-1', 'eu-central-1'), WEB_ACL.replace('global', 'x')],
    }),
    { good: [], wrong: [], bad: [{ webAclArn: WEB_ACL, requestsPerFiveMinutes: 100 }] },
  ],
  oidc: [
    { good: [ISSUER], wrong: [true, 'https://sign-in.example.com', null, []], bad: [{}] },
    ...['issuer', 'jwksUri', 'signOutUrl'].map((key) =>
      inner(ISSUER, key, {
        good: ['https://other.example.com/x'],
        wrong: TEXT,
        bad: ['http://sign-in.example.com', 'sign-in', ''],
      }),
    ),
    ...['clientId', 'claim', 'value'].map((key) =>
      inner(ISSUER, key, { good: ['x'], wrong: TEXT, bad: ['', undefined] }),
    ),
    inner(ISSUER, 'audience', { good: ['api'], wrong: TEXT, bad: ['dashboard'] }),
    inner(ISSUER, 'scopes', { good: [['openid']], wrong: ['openid', [1], null, {}] }),
    inner(ISSUER, 'origins', {
      good: [['https://login.example.com']],
      wrong: ['x', [1], null, {}],
    }),
  ],
  rateTiers: [
    {
      good: [{}, { small: { read: RATE } }],
      wrong: [true, 'small', null, []],
      bad: [
        { Small: {} },
        { small: 1 },
        { small: [] },
        { small: { raed: RATE } },
        { small: { read: null } },
        { small: { read: { ...RATE, bursts: 1 } } },
        { small: { read: { ...RATE, concurrent: 1 } } },
        { small: { read: { ...RATE, burst: 1.5 } } },
        { small: { wait: { ...RATE, concurrent: 0 } } },
        Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`t${n}`, {}])),
      ],
    },
    ...['rate', 'burst'].map((key) => {
      const { good, wrong, bad } = inner(RATE, key, {
        good: [1, 100],
        wrong: ['1', null, true],
        bad: [0, -1, 1e6, undefined],
      });
      const tiers = (rates: readonly unknown[] = []) =>
        rates.map((rate) => ({ small: { read: rate } }));
      return { good: tiers(good), wrong: tiers(wrong), bad: tiers(bad) };
    }),
  ],
  maxWaiting: { good: [0, 100], wrong: ['1', null, true], bad: [-1, 1.5, 101] },
  reservedConcurrency: [
    { good: [{}, { authorizer: 10 }], wrong: [true, 'some', null, []] },
    ...['authorizer', 'admin', 'revocation', 'changes'].map((key) =>
      inner({}, key, { good: [60, 100], wrong: ['1', null, true], bad: [0, -1, 1.5] }),
    ),
    // As many as may wait.
    { good: [], wrong: [], bad: [{ changes: 50 }] },
  ],
  requestMemorySize: MEMORY,
  backgroundMemorySize: MEMORY,
  metrics: { good: ['all', 'essential', false], wrong: [true, null, {}], bad: ['some', ''] },
  cloudWatchDashboard: FLAG,
  runbookUrl: {
    good: ['https://wiki.example.com/stowage'],
    wrong: TEXT,
    bad: ['', 'wiki', 'https://wiki.example.com/stowage#lag'],
  },
};

const rows = (kind: keyof Case): [string, unknown][] =>
  Object.entries(CASES).flatMap(([name, cases]) =>
    [cases]
      .flat()
      .flatMap((one) => (one[kind] ?? []).map((value): [string, unknown] => [name, value])),
  );

const bundles = useBundles();
const app = useApp();
let count = 0;

function synthesize(settings: object): StorageStack {
  count += 1;
  const [environment] = parseEnvironments({ qa: { ...ACCOUNT, ...settings } });
  const storage = { ...environment?.props.storage, bundles };
  return new StorageStack(app, `stack-${count}`, { ...environment?.props, storage });
}

/** The names that the message about an unknown setting lists. */
function known(settings: object): string[] {
  try {
    parseEnvironments({ qa: settings });
  } catch (error) {
    return (/settings are (.+)$/.exec(String(error))?.[1] ?? '').split(', ');
  }
  return [];
}

test('the table has every known setting', () => {
  expect(known({ '?': 1 }).sort()).toEqual(Object.keys(CASES).sort());
  for (const [name, whole] of [
    ['edge', {}],
    ['oidc', ISSUER],
  ] as const) {
    const tried = new Set(
      rows('good').flatMap(([of, value]) => (of === name ? Object.keys(Object(value)) : [])),
    );
    expect([...tried].sort()).toEqual(known({ [name]: { ...whole, '?': 1 } }).sort());
  }
});

/** The first accepted value of every setting in one environment, the second ones in another, … */
const rounds: Record<string, unknown>[] = [];
for (const [name, value] of rows('good')) {
  const free = rounds.find((settings) => !(name in settings));
  if (free) free[name] = value;
  else rounds.push({ [name]: value });
}
/** The environments that synthesize. Values of the others, which conflict, are tried one by one. */
const accepted = rounds.filter((settings) => {
  try {
    return synthesize(settings);
  } catch {
    return false;
  }
});

test.each(rows('good'))('%s accepts %j', (name, value) => {
  if (accepted.some((settings) => settings[name] === value)) return;
  expect(() => synthesize({ [name]: value })).not.toThrow();
});

test.each(rows('wrong'))(
  '%s: %j has the wrong type, and the message names the right one',
  (name, value) => {
    const message = new RegExp(`^(environment qa: )?${name}\\S* must be .+, got `);
    expect(() => parseEnvironments({ qa: { [name]: value } })).toThrow(message);
  },
);

test.each(rows('bad'))('%s refuses %j with a message that says what to write', (name, value) => {
  // A message begins with the setting, or with the prop that it becomes.
  const props: Record<string, string> = {
    retentionHours: 'retention(Hours)?',
    kmsKeyArn: '(kmsKeyArn|encryptionKey)',
  };
  const prop = props[name] ?? name;
  const message = new RegExp(
    `^(environment qa: )?${prop}\\S*( has)? .*(must|needs|is missing|use |exclude each other|is not a class)`,
  );
  expect(() => synthesize({ [name]: value })).toThrow(message);
});

test.each([
  ['retentionHour', 'retentionHours'],
  ['RemovalPolicy', 'removalPolicy'],
  ['requestMemorysize', 'requestMemorySize'],
  ['throtlingRateLimit', 'throttlingRateLimit'],
  ['allowedOrigin', 'allowedOrigins'],
])('%s is not a setting, and the message suggests %s', (given, meant) => {
  const message = `environment qa: ${given} is not a setting; did you mean ${meant}?`;
  expect(() => parseEnvironments({ qa: { [given]: 1 } })).toThrow(message);
});

test('a setting that resembles no known one gets no suggestion', () => {
  const message = /^environment qa: colour is not a setting; settings are retentionHours, /;
  expect(() => parseEnvironments({ qa: { colour: 'blue' } })).toThrow(message);
  const inherited = JSON.parse('{"qa":{"__proto__":1,"constructor":2}}');
  expect(() => parseEnvironments(inherited)).toThrow(
    /^environment qa: __proto__ is not a setting; /,
  );
});

describe('an environment without settings', () => {
  const [environment] = parseEnvironments({ qa: {} });
  const storage = { ...environment?.props.storage, bundles };
  const stack = new StorageStack(useApp(), 'stowage-qa', { ...environment?.props, storage });
  const template = Template.fromStack(stack);

  test('creates a complete service that retains its data', () => {
    template.resourceCountIs('AWS::DynamoDB::GlobalTable', 9);
    template.resourceCountIs('AWS::CloudFront::Distribution', 1);
    const retained = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::Cognito::UserPool'];
    for (const type of retained) {
      for (const { DeletionPolicy } of Object.values(template.findResources(type))) {
        expect([type, DeletionPolicy]).toEqual([type, 'Retain']);
      }
    }
    expect(Object.keys(template.toJSON().Outputs)).toContain('BaseUrl');
  });

  test('fits any account and region', () => {
    expect(stack.environment).toBe('aws://unknown-account/unknown-region');
  });
});
