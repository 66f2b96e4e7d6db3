import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** The addresses of the dashboard, and the origins of other pages. */
export interface PageOptions {
  readonly dashboardUrls?: readonly string[];
  readonly allowedOrigins?: readonly string[];
}

/**
 * Returns a JSON list of the dashboard's origin, which is `own` by default, and of the origins that
 * the deployer names.
 */
export function allowedOrigins(
  scope: Construct,
  own: string,
  { allowedOrigins: others = [], dashboardUrls }: PageOptions,
): string {
  const pages = dashboardUrls?.map((url) => new URL(url).origin) ?? [own];
  return Stack.of(scope).toJsonString([...pages, ...others]);
}
