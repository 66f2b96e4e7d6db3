/**
 * The buckets of a stack: AWS::S3::Bucket with its AWS::S3::BucketPolicy. A property that is not
 * emulated is refused, by logical id and path, unless it has no effect on what a client sees.
 */

import { UserError } from '../../errors/user-error';
import type { PolicyDocument } from '../../iam/iam';
import type { ResolvedResource, ResolvedStack } from '../../template/model';
import type { AbortRule, BucketOptions, CorsRule } from './calls/bucket-options';

type Json = Readonly<Record<string, unknown>>;

/** Throws a UserError that names every property that is not emulated, one line each. */
export function bucketsOfStack(stack: ResolvedStack): readonly BucketOptions[] {
  const resources = [...stack.resources.values()];
  const policies = resources.filter(({ type }) => type === 'AWS::S3::BucketPolicy');
  const refused: string[] = [];
  const buckets = resources
    .filter(({ type }) => type === 'AWS::S3::Bucket')
    .map((resource) => {
      const reader = new PropertyReader(resource, refused);
      const policy = policies.find((one) => one.properties.Bucket === resource.physicalId);
      return {
        name: resource.physicalId,
        policy: policy?.properties.PolicyDocument as PolicyDocument | undefined,
        ...reader.read(),
      };
    });
  if (refused.length > 0) throw new UserError(refused.join('\n'));
  return buckets;
}

/**
 * Properties without effect on what a client of the same account sees, and those that another
 * service emulates (notifications).
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  // A client sees the current versions, which are the only ones here.
  'VersioningConfiguration',
  'BucketName',
  'LoggingConfiguration',
  'NotificationConfiguration',
  'OwnershipControls',
  'PublicAccessBlockConfiguration',
  'Tags',
]);

class PropertyReader {
  readonly #resource: ResolvedResource;
  readonly #refused: string[];

  constructor(resource: ResolvedResource, refused: string[]) {
    this.#resource = resource;
    this.#refused = refused;
  }

  read(): Pick<BucketOptions, 'corsRules' | 'lifecycle'> {
    const { properties } = this.#resource;
    for (const name of Object.keys(properties)) if (!this.#isKnown(name)) this.#refuse(name);
    this.#checkEncryption(properties.BucketEncryption);
    return {
      corsRules: this.#corsRules(properties.CorsConfiguration),
      lifecycle: this.#lifecycle(properties.LifecycleConfiguration),
    };
  }

  #isKnown(name: string): boolean {
    return (
      WITHOUT_EFFECT.has(name) ||
      name === 'BucketEncryption' ||
      name === 'CorsConfiguration' ||
      name === 'LifecycleConfiguration'
    );
  }

  #refuse(path: string): void {
    this.#refused.push(`${this.#resource.logicalId} (AWS::S3::Bucket): ${path} is not emulated`);
  }

  #checkEncryption(property: unknown): void {
    list(json(property).ServerSideEncryptionConfiguration).forEach((rule, index) => {
      const algorithm = json(json(rule).ServerSideEncryptionByDefault).SSEAlgorithm;
      // Responses always say AES256: the emulator encrypts nothing.
      if (algorithm !== undefined && algorithm !== 'AES256' && algorithm !== 'aws:kms') {
        this.#refuse(
          `BucketEncryption.ServerSideEncryptionConfiguration.${index}.ServerSideEncryptionByDefault.SSEAlgorithm: ${String(algorithm)}`,
        );
      }
    });
  }

  #corsRules(property: unknown): readonly CorsRule[] | undefined {
    if (property === undefined) return undefined;
    return list(json(property).CorsRules).map((value) => {
      const rule = json(value);
      return {
        allowedOrigins: strings(rule.AllowedOrigins),
        allowedMethods: strings(rule.AllowedMethods),
        allowedHeaders: strings(rule.AllowedHeaders),
        exposedHeaders: strings(rule.ExposedHeaders),
        maxAgeSeconds: rule.MaxAge === undefined ? undefined : Number(rule.MaxAge),
      };
    });
  }

  #lifecycle(property: unknown): readonly AbortRule[] | undefined {
    if (property === undefined) return undefined;
    const known = new Set([
      'AbortIncompleteMultipartUpload',
      'ExpiredObjectDeleteMarker',
      'Id',
      'NoncurrentVersionExpiration',
      'Prefix',
      'Status',
    ]);
    return list(json(property).Rules).flatMap((value, index) => {
      const rule = json(value);
      for (const name of Object.keys(rule)) {
        if (!known.has(name)) this.#refuse(`LifecycleConfiguration.Rules.${index}.${name}`);
      }
      if (rule.AbortIncompleteMultipartUpload === undefined || rule.Status !== 'Enabled') return [];
      const { DaysAfterInitiation } = json(rule.AbortIncompleteMultipartUpload);
      return [
        { prefix: String(rule.Prefix ?? ''), daysAfterInitiation: Number(DaysAfterInitiation) },
      ];
    });
  }
}

function json(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): readonly string[] {
  return list(value).map(String);
}
