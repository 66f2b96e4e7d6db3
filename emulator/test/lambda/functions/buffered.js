// A function of the tests; the event says what it is to do.
let invocations = 0;
const doings = {
  echo: (event) => event,
  count: () => ++invocations,
  invokedAs: (_, context) => context.invokedFunctionArn,
  nothing: () => undefined,
  env: () => process.env,
  context: (_, context) => ({ ...context, remaining: context.getRemainingTimeInMillis() }),
  slow: (event) => new Promise((resolve) => setTimeout(() => resolve(event), event.milliseconds)),
  never: () => new Promise(() => {}),
  spin: () => {
    for (;;);
  },
  throw: () => {
    throw new RangeError('out of range');
  },
  throwText: () => {
    throw 'just text';
  },
  exit: (event) => process.exit(event.code),
  uncaught: () =>
    new Promise(() => {
      setImmediate(() => {
        throw new TypeError('later');
      });
    }),
  unhandled: () => new Promise(() => void Promise.reject(new Error('not caught'))),
  allocate: () => {
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(Math.random()));
  },
  large: (event) => 'x'.repeat(event.length),
  print: () => console.log('hello %s', 'log', { a: 1 }),
  printObjects: () => {
    console.error(new RangeError('too far'));
    const circle = {};
    circle.self = circle;
    console.log(circle);
  },
  printAndHang: () => {
    for (let line = 1; line <= 100; line++) console.log('line %d', line);
    for (;;);
  },
};
exports.handler = async (event, context) => doings[event.do](event, context);
exports.synchronous = (event) => ({ got: event });
exports.callback = (_event, _context, callback) => callback(null, 'x');
exports.nested = { handler: async () => 'nested' };
