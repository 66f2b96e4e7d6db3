import { useChanges, useObjects, useUpload } from '@stowage/react';

/** The objects of a bucket as they are now, the uploads of this page, and the newest changes. */
export function LiveList({ bucket }: { readonly bucket: string }) {
  const { objects, cursor, error, retry } = useObjects(bucket);
  const { uploads, upload, remove } = useUpload(bucket);
  return (
    <main>
      <h1>{bucket}</h1>
      {error !== undefined && (
        <p role="alert">
          {String(error)}{' '}
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      <label htmlFor="files">Upload files</label>{' '}
      <input
        id="files"
        type="file"
        multiple
        onChange={({ target }) => {
          for (const file of target.files ?? []) void upload(file.name, file);
          target.value = '';
        }}
      />
      <ul aria-label="Uploads">
        {uploads.map(({ id, key, sent, total, state, error: problem }) => (
          <li key={id}>
            {key}: {state === 'failed' ? String(problem) : state}{' '}
            {state === 'sending' && <progress value={sent} max={total || 1} aria-label={key} />}
            <button type="button" onClick={() => remove(id)}>
              {state === 'sending' ? 'Cancel' : 'Remove'}
            </button>
          </li>
        ))}
      </ul>
      <p role="status">
        {cursor === undefined ? 'Loading…' : `${objects.length} objects at cursor ${cursor}`}
      </p>
      <table>
        <thead>
          <tr>
            <th>Key</th>
            <th className="size">Bytes</th>
          </tr>
        </thead>
        <tbody>
          {objects.map(({ key, size }) => (
            <tr key={key}>
              <td>{key}</td>
              <td className="size">{size}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Changes bucket={bucket} />
    </main>
  );
}

function Changes({ bucket }: { readonly bucket: string }) {
  const { changes, isConnected } = useChanges(bucket, { cursor: 0, limit: 10 });
  return (
    <section aria-label="Changes">
      <h2>Changes {isConnected ? '' : '(connecting…)'}</h2>
      <ol reversed>
        {changes.map(({ cursor, type, object }) => (
          <li key={cursor} value={cursor}>
            {type} {object.key}
          </li>
        ))}
      </ol>
    </section>
  );
}
