/**
 * The behaviour of S3 that applications rely on, tested through the AWS SDK. It runs on the
 * emulated S3 and on S3 servers of other vendors, which confirm that the tests themselves are
 * right. Behaviour that only AWS and the emulator have is tested in emulator/test/s3.
 */
import { S3, type S3ClientConfig } from '@aws-sdk/client-s3';
import { authenticationContract } from './s3/authentication';
import { checksumContract, integrityContract } from './s3/checksums';
import { conditionContract, raceContract } from './s3/conditions';
import { copyContract } from './s3/copies';
import { keyContract } from './s3/keys';
import { listingContract } from './s3/listing';
import { multipartContract } from './s3/multipart';
import { objectContract } from './s3/objects';
import { presignedContract } from './s3/presigned';
import { strictContract } from './s3/strict';
import type { Target } from './s3/target';

export interface OpenTarget {
  /** Endpoint, region, credentials; path-style. */
  readonly client: S3ClientConfig;
  /** Exists and is empty. */
  readonly bucket: string;
  /** Called once, after the last test. */
  close(): Promise<void>;
}

const CONTRACTS = {
  objects: objectContract,
  keys: keyContract,
  conditions: conditionContract,
  races: raceContract,
  checksums: checksumContract,
  listing: listingContract,
  multipart: multipartContract,
  copies: copyContract,
  presigned: presignedContract,
  integrity: integrityContract,
  authentication: authenticationContract,
  strict: strictContract,
} as const;
export type Capability = keyof typeof CONTRACTS;

/**
 * Registers the suite. `capabilities`: the parts of it that the server fulfils; all
 * by default.
 */
export function s3Contract(
  name: string,
  open: () => Promise<OpenTarget>,
  options: { readonly capabilities?: readonly Capability[] } = {},
): void {
  describe(`S3 contract: ${name}`, () => {
    let opened: { target: Target; close(): Promise<void> } | undefined;
    let keys = 0;

    beforeAll(async () => {
      const { client: config, bucket, close } = await open();
      // Most tests expect an error, which must not be retried.
      const s3 = new S3({ maxAttempts: 1, ...config });
      const key = (text: string): string => {
        keys += 1;
        return `${keys}/${text}`;
      };
      opened = {
        target: { s3, bucket, config, key },
        close: async () => {
          s3.destroy();
          await close();
        },
      };
    });
    afterAll(() => opened?.close());

    const target = (): Target => {
      if (opened === undefined) throw new Error('the server is not open');
      return opened.target;
    };
    for (const [capability, register] of Object.entries(CONTRACTS)) {
      if (
        options.capabilities !== undefined &&
        !options.capabilities.some((c) => c === capability)
      ) {
        continue;
      }
      describe(capability, () => register(target));
    }
  });
}
