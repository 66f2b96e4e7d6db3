/** Returns a promise and the function that resolves it, as Promise.withResolvers of Node.js 22. */
export function deferred<T>(): {
  readonly value: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  let resolveValue: (value: T) => void = () => undefined;
  const value = new Promise<T>((resolve) => {
    resolveValue = resolve;
  });
  return { value, resolve: (ready) => resolveValue(ready) };
}
