import type { Log } from '../../../core/system';

export interface LogLine {
  readonly level: 'info' | 'error' | 'fatal';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps what was logged, so that a test can look at it. */
export class FakeLog implements Log {
  readonly lines: LogLine[] = [];

  info(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'info', event, fields });
  }

  error(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'error', event, fields });
  }

  fatal(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.lines.push({ level: 'fatal', event, fields });
  }
}
