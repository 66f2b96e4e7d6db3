/**
 * The global that the managed Node.js runtime defines (AWS: "Writing handlers for response
 * streaming").
 */
declare namespace awslambda {
  interface ResponseStream extends NodeJS.WritableStream {
    setContentType(type: string): void;
  }

  function streamifyResponse<Event>(
    handler: (
      event: Event,
      stream: ResponseStream,
      context: import('aws-lambda').Context,
    ) => Promise<void>,
  ): (event: Event, stream: ResponseStream, context: import('aws-lambda').Context) => Promise<void>;

  const HttpResponseStream: {
    from(
      stream: ResponseStream,
      metadata: { statusCode: number; headers: Record<string, string> },
    ): ResponseStream;
  };
}
