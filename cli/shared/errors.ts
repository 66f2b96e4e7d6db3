/** Failures of commands: their messages and exit codes (docs/cli.md). */
import { StowageError } from '../../client/errors';

/** The exit codes of every command: docs/cli.md, "Exit codes". */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  conflict: 5,
  temporary: 6,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that is reported to the user in one line. */
export class UserError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Arguments that the command does not take. */
export class UsageError extends UserError {
  constructor(message: string) {
    super(message, EXIT.usage);
  }
}

/** The abort reason when the user or the reader of the output ends the command. */
export class Interrupted extends UserError {}

/** An error that has been reported to the user. Only its exit code still matters. */
export class Reported extends Error {
  constructor(cause: unknown) {
    super('reported', { cause });
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Reported) return exitCodeOf(error.cause);
  if (error instanceof UserError) return error.exitCode;
  if (!(error instanceof StowageError)) return EXIT.failed;
  if (error.isTemporary) return EXIT.temporary;
  if (error.code === 'not_found') return EXIT.notFound;
  if (error.code === 'unauthorized' || error.code === 'forbidden') return EXIT.refused;
  if (error.code === 'conflict' || error.code === 'precondition_failed') return EXIT.conflict;
  return EXIT.failed;
}

/** Returns a failure in the form that `--json` prints. */
export function jsonOf(error: unknown): Readonly<Record<string, unknown>> {
  const message = messageOf(error);
  if (!(error instanceof StowageError)) return { error: { code: 'failed', message } };
  const { code, requestId, details } = error;
  return { error: { code, message, ...(requestId && { request_id: requestId }), details } };
}

/** Returns a failure as one line for people. */
export function messageOf(error: unknown): string {
  if (!(error instanceof StowageError)) {
    return error instanceof Error ? error.message : String(error);
  }
  const reference = error.requestId === undefined ? '' : ` (request ${error.requestId})`;
  if (error.code === 'unauthorized') {
    return `the service does not accept this API key: see 'stowage login'${reference}`;
  }
  return `${error.message}${reference}`;
}
