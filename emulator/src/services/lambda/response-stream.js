'use strict';
const { Writable } = require('node:stream');

/** Bytes that may be unread in the main thread. */
const WINDOW = 256 * 1024;
/** Smallest size of a message of its own; smaller writes of one turn share a message. */
const FULL = 64 * 1024;

/**
 * The stream of a streaming handler. It posts chunks to the main thread and accepts no writes while
 * WINDOW bytes are unread there, so that a slow client slows the function down instead of filling
 * the memory.
 */
class ResponseStream extends Writable {
  #post;
  #contentType = 'application/octet-stream';
  #prelude;
  #wrote = false;
  #pending = [];
  #pendingBytes = 0;
  #unread = 0;
  #scheduled = false;
  #blocked;
  #ended = false;
  #settled = false;
  #abandoned = false;
  /** Whether the environment is about to end. */
  isBroken = false;

  constructor(post) {
    super({ decodeStrings: true });
    this.#post = post;
  }

  setContentType(contentType) {
    if (this.#wrote) throw new Error('Cannot set content-type, too late.');
    this.#contentType = contentType;
  }

  beforeFirstWrite(prelude) {
    this.#prelude = prelude;
  }

  write(chunk, encoding, callback) {
    if (!this.#wrote) {
      this.#wrote = true;
      if (this.#prelude !== undefined) super.write(this.#prelude);
    }
    const bytes = typeof chunk === 'string' || chunk instanceof Uint8Array;
    return super.write(bytes ? chunk : JSON.stringify(chunk), encoding, callback);
  }

  _write(chunk, _encoding, callback) {
    this.#wrote = true;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (this.#pendingBytes >= FULL) this.#flush();
    else this.#schedule();
    if (this.#unread < WINDOW) callback();
    else this.#blocked = callback;
  }

  _final(callback) {
    this.#ended = true;
    this.#schedule();
    callback();
  }

  /**
   * A function that destroys the stream before its end. AWS's runtime then has a rejected promise
   * that nothing awaits, which ends the environment.
   */
  _destroy(error, callback) {
    if (!this.#ended && !this.#abandoned) {
      const rejection = new Error(String(error ?? 'the response stream was destroyed'));
      rejection.name = 'Runtime.UnhandledPromiseRejection';
      this.isBroken = true;
      void Promise.reject(rejection);
    }
    callback(error);
  }

  /** The main thread has forwarded that many bytes. */
  acknowledge(bytes) {
    this.#unread -= bytes;
    if (this.#unread >= WINDOW) return;
    const callback = this.#blocked;
    this.#blocked = undefined;
    callback?.();
  }

  /** The handler has returned. The invocation ends when the stream has ended as well. */
  settle() {
    this.#settled = true;
    if (this.#ended) this.#schedule();
  }

  /** Sends what the handler wrote before it threw, and ignores later writes. */
  abandon() {
    if (this.#pendingBytes > 0) this.#flush();
    this.#abandoned = true;
    this.destroy();
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      // The chunks may have been sent in the meantime.
      if (!this.#abandoned && (this.#pendingBytes > 0 || this.#ended)) this.#flush();
    });
  }

  #flush() {
    // A copy, because the function may still use its buffer, which a transfer would detach.
    const data = new Uint8Array(this.#pendingBytes);
    let offset = 0;
    for (const chunk of this.#pending) {
      data.set(chunk, offset);
      offset += chunk.length;
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#unread += data.length;
    const done = this.#ended && this.#settled;
    this.#post({ contentType: this.#contentType, data, ended: this.#ended, done }, [data.buffer]);
  }
}

module.exports = { ResponseStream };
