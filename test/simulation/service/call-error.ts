const THROTTLING = 'ThrottlingException';
const BROKEN = 'TimeoutError';

/** An AWS call that failed, with the name and the metadata of the SDK's error. */
export class CallError extends Error {
  override readonly name: string;
  readonly $metadata: { readonly httpStatusCode?: number };

  constructor(name: string, httpStatusCode?: number) {
    super(name);
    this.name = name;
    this.$metadata = httpStatusCode === undefined ? {} : { httpStatusCode };
  }

  get isThrottling(): boolean {
    return this.name === THROTTLING;
  }

  /** Reports whether the SDK repeats the call. */
  get isRetryable(): boolean {
    return this.isThrottling || this.name === BROKEN || this.$metadata.httpStatusCode === 500;
  }
}
