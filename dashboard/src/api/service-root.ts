/**
 * The folder of this page: the origin, and in AWS the stage. The service is in the same folder.
 */
export const SERVICE_ROOT = new URL('.', window.location.href.split(/[?#]/)[0]).href;
