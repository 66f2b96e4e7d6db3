/**
 * The folder that this page lies in: the origin, and in AWS the stage. The service is beside it.
 */
export const SERVICE_ROOT = new URL('.', window.location.href.split(/[?#]/)[0]).href;
