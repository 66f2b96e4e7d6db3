/** The exports of the React package: react-hooks/README.md. */

export { StowageProvider, type StowageProviderProps, useStowageClient } from './client-context';
export { type Following, type FollowingOptions, useChanges } from './use-changes';
export { type LiveObjects, type LiveObjectsOptions, useObjects } from './use-objects';
export { type Uploading, type Uploads, useUpload } from './use-upload';
