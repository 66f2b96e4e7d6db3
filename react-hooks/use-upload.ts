import type { UploadedObject, UploadOptions, UploadSource } from '@stowage/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useStowageClient } from './client-context';

/** An upload of this component. */
export interface Uploading {
  /** Unique in the component. */
  readonly id: number;
  /** The key of the object. */
  readonly key: string;
  /** Bytes that were sent. */
  readonly sent: number;
  /** Bytes of the content; 0 until they are known. */
  readonly total: number;
  /** `done`: the object is committed. */
  readonly state: 'sending' | 'done' | 'failed';
  /** Why it failed: a StowageError, a TypeError, or the reason for which it was aborted. */
  readonly error?: unknown;
  /** The object that it became. */
  readonly object?: UploadedObject;
}

/** The uploads of a component. */
export interface Uploads {
  /** In the order in which they began. */
  readonly uploads: readonly Uploading[];
  /**
   * Uploads content of any size, as `client.upload`. Returns the object, or undefined when the
   * upload failed: `uploads` has the error.
   */
  readonly upload: (
    key: string,
    source: UploadSource,
    options?: UploadOptions,
  ) => Promise<UploadedObject | undefined>;
  /** Aborts an upload that is being sent, and removes it from `uploads`. */
  readonly remove: (id: number) => void;
}

/**
 * Uploads to a bucket and renders again at each progress. An upload ends with its component: use
 * the hook in one that stays while the person uses others.
 */
export function useUpload(bucket: string): Uploads {
  const client = useStowageClient();
  const [uploads, setUploads] = useState<readonly Uploading[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const last = useRef(0);

  useEffect(() => {
    const all = running.current;
    return () => {
      for (const each of all.values()) each.abort();
      all.clear();
    };
  }, []);

  const change = useCallback((id: number, changed: Partial<Uploading>) => {
    setUploads((all) => all.map((each) => (each.id === id ? { ...each, ...changed } : each)));
  }, []);

  const upload = useCallback<Uploads['upload']>(
    async (key, source, options = {}) => {
      last.current += 1;
      const id = last.current;
      const stop = new AbortController();
      running.current.set(id, stop);
      setUploads((all) => [...all, { id, key, sent: 0, total: 0, state: 'sending' }]);
      const abort = () => stop.abort(options.signal?.reason);
      options.signal?.addEventListener('abort', abort, { once: true });
      if (options.signal?.aborted) abort();
      try {
        const object = await client.upload(bucket, key, source, {
          ...options,
          signal: stop.signal,
          onProgress: (progress) => {
            change(id, progress);
            options.onProgress?.(progress);
          },
        });
        change(id, { state: 'done', object });
        return object;
      } catch (error) {
        change(id, { state: 'failed', error });
        return undefined;
      } finally {
        options.signal?.removeEventListener('abort', abort);
        running.current.delete(id);
      }
    },
    [client, bucket, change],
  );

  const remove = useCallback((id: number) => {
    running.current.get(id)?.abort();
    setUploads((all) => all.filter((each) => each.id !== id));
  }, []);

  return { uploads, upload, remove };
}
