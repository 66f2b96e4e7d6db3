/** The errors of names, keys and versions that do not exist. */
import { ServiceError } from './errors';
import type { ObjectRecord } from './store/objects';

export function bucketNotFound(name: string): ServiceError {
  return new ServiceError('not_found', {
    message: `there is no bucket named ${name}`,
    details: { bucket: name },
  });
}

export function objectNotFound(bucket: string, key: string): ServiceError {
  return new ServiceError('not_found', {
    message: 'there is no object under this key',
    details: { bucket, key },
  });
}

/** 404 for a version of the key whose newest record is `newest`. */
export function versionNotFound({ bucket, key, version }: ObjectRecord, wanted: number) {
  const message =
    wanted > version
      ? `${key} has no version ${wanted}; the newest is ${version}`
      : `version ${wanted} of ${key} is no longer kept, or was a delete; the newest is ${version}`;
  return new ServiceError('not_found', {
    message,
    details: { bucket, key, version: wanted, newest: version },
  });
}
