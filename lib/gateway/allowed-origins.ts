import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ObjectStorageProps } from '../object-storage-props';

/** JSON list of the dashboard's own origin, and of the origins that the deployer names. */
export function allowedOrigins(
  scope: Construct,
  own: string,
  {
    allowedOrigins: others = [],
    dashboardUrls,
  }: Pick<ObjectStorageProps, 'allowedOrigins' | 'dashboardUrls'>,
): string {
  const pages = dashboardUrls?.map((url) => new URL(url).origin) ?? [own];
  return Stack.of(scope).toJsonString([...pages, ...others]);
}
