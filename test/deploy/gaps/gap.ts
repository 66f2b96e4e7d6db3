import type { Agent } from 'undici';

/** The deployment that the checks send requests to. */
export interface Target {
  /** The origin of edge.ts. */
  readonly base: string;
  /** The deployed stage of the REST API. */
  readonly gateway: string;
  /** The origin of MiniStack's AWS APIs. */
  readonly aws: string;
  readonly key: string;
  /** The bucket of the service that was created for the checks. */
  readonly bucket: string;
  /** The S3 bucket of the blobs. */
  readonly contentBucket: string;
  readonly agent: Agent;
}

export interface Gap {
  /** The row of ministack.md. */
  readonly row: string;
  /** Returns what MiniStack does instead once the row no longer applies, otherwise undefined. */
  readonly seen: (target: Target) => Promise<string | undefined>;
}
