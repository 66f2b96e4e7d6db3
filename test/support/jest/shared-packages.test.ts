import { S3Client } from '@aws-sdk/client-s3';
import { App } from 'aws-cdk-lib';
import ts from 'typescript';
import { ServiceError } from '../../../core/errors';

/** Whether the object was made by code of this test file's sandbox. */
function isOfSandbox(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null ? value === Object.prototype : isOfSandbox(prototype);
}

test('the CDK and the TypeScript compiler are loaded outside of the sandbox', () => {
  expect([App.prototype, ts.sys].map(isOfSandbox)).toEqual([false, false]);
});

test('other packages and the sources are loaded inside of the sandbox', () => {
  expect([S3Client.prototype, ServiceError.prototype].map(isOfSandbox)).toEqual([true, true]);
});
