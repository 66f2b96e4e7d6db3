import type { BuildOptions } from 'esbuild';

export const NODE_BUNDLE: BuildOptions;
export const FUNCTION_BUNDLE: BuildOptions;
export const CLIENT_BUNDLE: BuildOptions;
