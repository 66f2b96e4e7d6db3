/** The results of one run of the bench. */

import type { ChannelFigures } from './channel';
import type { Comparison } from './comparison';
import type { FunctionBundle } from './functions/bundles';
import type { HandlerFigures } from './functions/handlers';
import type { LoadTime } from './functions/load-time';
import type { LargeFileFigures } from './large-file';
import type { PageCost } from './listing-reads';
import type { Machine } from './machine';
import type { MemorySample } from './memory';

export interface Results {
  /** ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly comparisons: readonly Comparison[];
  readonly bundles: readonly FunctionBundle[];
  readonly loads: readonly LoadTime[];
  readonly idle: MemorySample;
  /** The sample with the largest total of those taken between the tasks. */
  readonly peak: MemorySample;
  readonly afterLoad: MemorySample;
  readonly largeFile: LargeFileFigures;
  readonly channel: ChannelFigures;
  readonly pages: readonly PageCost[];
  readonly handlers: HandlerFigures;
}
