'use strict';
/**
 * One execution environment of a function: the part of Lambda's Node.js runtime inside the worker
 * thread. It is plain JavaScript because a thread starts from a file: this one, or the bundle's own
 * entry `dist/emulator/worker.js`. execution-environment.ts has the types of the messages.
 */
const { createRequire } = require('node:module');
const { existsSync, openSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { format } = require('node:util');
const { parentPort, workerData } = require('node:worker_threads');
const { ResponseStream } = require('./response-stream.js');

const { functionName, handler: handlerName, memorySize, taskRoot, logPath, logsJson } = workerData;

const STREAMING = Symbol('aws.lambda.streaming');

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html */
globalThis.awslambda = {
  streamifyResponse(handler) {
    handler[STREAMING] = true;
    return handler;
  },
  HttpResponseStream: {
    /**
     * Sends the metadata before the first write(). An end() without any write() skips it, as in
     * AWS.
     */
    from(stream, metadata) {
      stream.setContentType('application/vnd.awslambda.http-integration-response');
      stream.beforeFirstWrite(
        Buffer.concat([Buffer.from(JSON.stringify(metadata)), Buffer.alloc(8)]),
      );
      return stream;
    },
  },
};

/**
 * Appends output to the log at once, from this thread. Through the main thread a line would cost
 * two messages, and its end would be lost when the thread is terminated.
 */
function appendOutputTo(path) {
  const log = openSync(path, 'a', 0o600);
  for (const output of [process.stdout, process.stderr]) {
    output._writev = null;
    output._write = (chunk, encoding, callback) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(log, bytes, written);
      } catch {
        // A full disk loses log lines, and does not end the function.
      }
      callback();
    };
  }
}

if (logPath !== undefined) appendOutputTo(logPath);

/** The invocation in progress; one at a time. */
let current;

/**
 * A line of console.log and its like, in the function's log format. Text: time, request id, level
 * and message, between tabs. Lines that are written to stdout stay as they are.
 * https://docs.aws.amazon.com/lambda/latest/dg/nodejs-logging.html
 */
function consoleLine(level, args) {
  const timestamp = new Date().toISOString();
  if (!logsJson) return `${timestamp}\t${current?.id}\t${level}\t${format(...args)}`;
  const line = { timestamp, level, requestId: current?.id };
  try {
    const [first] = args;
    const isObject = args.length === 1 && typeof first === 'object';
    return JSON.stringify({ ...line, message: isObject ? first : format(...args) }, errorAsObject);
  } catch {
    // A cycle, or a BigInt.
    return JSON.stringify({ ...line, message: format(...args) });
  }
}

/** JSON of an Error would be `{}`. */
function errorAsObject(_name, value) {
  if (!(value instanceof Error)) return value;
  const { name: errorType, message: errorMessage, stack = '' } = value;
  return { errorType, errorMessage, stackTrace: stack.split('\n') };
}

for (const [method, level] of [
  ['log', 'INFO'],
  ['trace', 'TRACE'],
  ['debug', 'DEBUG'],
  ['info', 'INFO'],
  ['warn', 'WARN'],
  ['error', 'ERROR'],
]) {
  console[method] = (...args) => process.stdout.write(`${consoleLine(level, args)}\n`);
}

function loadHandler() {
  const slash = handlerName.lastIndexOf('/') + 1;
  const [moduleName, ...exportPath] = handlerName.slice(slash).split('.');
  const base = join(taskRoot, handlerName.slice(0, slash), moduleName);
  const file = [`${base}.js`, `${base}.cjs`].find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw named('Runtime.ImportModuleError', `Error: Cannot find module '${moduleName}'`);
  }
  const loaded = createRequire(file)(file);
  const handler = exportPath.reduce((value, key) => value?.[key], loaded);
  if (typeof handler !== 'function') {
    throw named('Runtime.HandlerNotFound', `${handlerName} is undefined or not exported`);
  }
  if (handler.length >= 3 && !handler[STREAMING]) {
    throw named(
      'Runtime.CallbackHandlerDeprecated',
      'AWS Lambda has removed support for callback-based function handlers starting with Node.js 24',
    );
  }
  return handler;
}

function named(name, message) {
  const error = new Error(message);
  error.name = name;
  return error;
}

/** The payload of Invoke for a function that threw. */
function errorPayload(error) {
  if (error instanceof Error) {
    const trace = (error.stack ?? '').split('\n');
    return JSON.stringify({ errorType: error.name, errorMessage: error.message, trace });
  }
  return JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });
}

function contextOf({ id, deadline, invokedArn }) {
  return {
    awsRequestId: id,
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    invokedFunctionArn: invokedArn,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: String(memorySize),
  };
}

/** payload.ts describes payloads in two parts. */
function eventOf(invocation) {
  const { payload } = invocation;
  // Releases the body: only the function decides how long to retain it.
  invocation.payload = undefined;
  if (typeof payload === 'string') return JSON.parse(payload);
  const event = JSON.parse(payload.text);
  event.body = Buffer.from(payload.body.buffer).toString('base64');
  return event;
}

async function invokeBuffered(handler, invocation) {
  const { id } = invocation;
  let message;
  try {
    const result = await handler(eventOf(invocation), contextOf(invocation));
    message = { type: 'result', id, payload: JSON.stringify(result) ?? 'null' };
  } catch (error) {
    message = { type: 'failed', id, payload: errorPayload(error) };
  }
  current = undefined;
  parentPort.postMessage(message);
}

async function invokeStreaming(handler, invocation) {
  const { id } = invocation;
  const stream = new ResponseStream((message, transfer) => {
    if (message.done) current = undefined;
    parentPort.postMessage({ type: 'chunk', id, ...message }, transfer);
  });
  invocation.stream = stream;
  try {
    await handler(eventOf(invocation), stream, contextOf(invocation));
    stream.settle();
  } catch (error) {
    if (stream.isBroken) return;
    stream.abandon();
    current = undefined;
    parentPort.postMessage({ type: 'failed', id, payload: errorPayload(error) });
  }
}

try {
  const handler = loadHandler();
  const invoke = handler[STREAMING] ? invokeStreaming : invokeBuffered;
  parentPort.on('message', (message) => {
    if (message.type === 'invoke') {
      current = message;
      process.env._X_AMZN_TRACE_ID = message.traceHeader;
      void invoke(handler, message);
    } else if (message.id === current?.id) {
      current.stream?.acknowledge(message.bytes);
    }
  });
  parentPort.postMessage({ type: 'ready' });
} catch (error) {
  parentPort.postMessage({ type: 'broken', payload: errorPayload(error) });
}
