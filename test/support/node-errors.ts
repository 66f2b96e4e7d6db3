/**
 * Makes `instanceof Error` true for the errors of Node.js itself. Jest runs tests in a realm with
 * another `Error`, so the AWS SDK would not know those errors and would replace them.
 */
import { types } from 'node:util';

const isInstance = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown) {
    return (this === Error && types.isNativeError(value)) || isInstance.call(this, value);
  },
});
