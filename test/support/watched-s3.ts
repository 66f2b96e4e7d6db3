import type { AwsRequest } from '../../adapters/aws/aws-client';
import type { S3Connection } from '../../adapters/s3/s3-connection';
import type { WatchCall } from './watched-tables';

/** The same connection; an error that `watch` throws is that of the call. */
export function watchedS3(connection: S3Connection, watch: WatchCall): S3Connection {
  const watched =
    <T>(send: (request: AwsRequest) => Promise<T>) =>
    async (request: AwsRequest): Promise<T> => {
      const call = callOf(request);
      await watch(call, 'before');
      const response = await send(request);
      await watch(call, 'after');
      return response;
    };
  const { client } = connection;
  return {
    ...connection,
    client: {
      call: watched((request) => client.call(request)),
      open: watched((request) => client.open(request)),
    },
  };
}

const OF_OBJECTS = { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject' } as const;

/** `PutObject`, `DeleteObjects` … */
function callOf({ method, query = {}, headers = {} }: AwsRequest): string {
  if (method === 'POST' && 'uploadId' in query) return 'CompleteMultipartUpload';
  if (method === 'POST') return 'uploads' in query ? 'CreateMultipartUpload' : 'DeleteObjects';
  if ('x-amz-copy-source' in headers) return 'uploadId' in query ? 'UploadPartCopy' : 'CopyObject';
  if (method === 'DELETE') return 'uploadId' in query ? 'AbortMultipartUpload' : 'DeleteObject';
  return method === 'GET' && 'uploadId' in query ? 'ListParts' : OF_OBJECTS[method];
}
