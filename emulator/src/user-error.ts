/**
 * The user can mend it: a template that the runtime cannot emulate, a port that is taken, a second
 * runtime on one folder. Shown as one line, without a stack.
 */
export class UserError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
  }
}
