/**
 * An error that the user can correct: an unsupported template, a port that is taken, a data folder
 * in use. The command prints it as one line, without a stack.
 */
export class UserError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
  }
}
