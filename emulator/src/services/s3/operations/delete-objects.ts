/** DeleteObjects. https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */

import { denialOf, objectArn } from '../calls/authorize';
import { type Call, type Reply, xmlReply } from '../calls/call';
import { algorithmOfHeader } from '../payload/checksums';
import { S3Error } from '../protocol/errors';
import { checkKey } from '../protocol/request';
import { children, text, type XmlElement, xmlDocument } from '../protocol/xml';
import { receiveDocument } from './document';

const MAX_KEYS = 1000;

export async function deleteObjects(call: Call): Promise<Reply> {
  const names = [...Object.keys(call.headers), call.headers['x-amz-trailer'] ?? ''];
  if (call.headers['content-md5'] === undefined && !names.some(algorithmOfHeader)) {
    throw new S3Error('InvalidRequest', {
      message: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    });
  }
  const document = await receiveDocument(call, 'Delete', { checksums: true });
  const keys = children(document, 'Object').map((object) => {
    if (text(object, 'VersionId') !== undefined) {
      throw new S3Error('NotImplemented', { details: { Element: 'VersionId' } });
    }
    const key = text(object, 'Key');
    if (key === undefined || key === '') throw new S3Error('MalformedXML');
    return key;
  });
  if (keys.length === 0 || keys.length > MAX_KEYS) throw new S3Error('MalformedXML');
  const quiet = text(document, 'Quiet')?.trim() === 'true';

  const deleted: XmlElement[] = [];
  const errors: XmlElement[] = [];
  for (const key of keys) {
    const error = deleteOne(call, key);
    if (error !== undefined) errors.push({ Key: key, ...error });
    else if (!quiet) deleted.push({ Key: key });
  }
  return xmlReply(xmlDocument('DeleteResult', { Deleted: deleted, Error: errors }));
}

/** Returns the error of a key that is not deleted; undefined when it is deleted. */
function deleteOne(call: Call, key: string): { Code: string; Message: string } | undefined {
  const reason = denialOf(call, 's3:DeleteObject', objectArn(call, key));
  if (reason !== undefined) return { Code: 'AccessDenied', Message: reason };
  try {
    checkKey(key);
    call.store.delete(key, Date.now());
    return undefined;
  } catch (error) {
    if (error instanceof S3Error) return { Code: error.code, Message: error.message };
    return { Code: 'InternalError', Message: new S3Error('InternalError').message };
  }
}
