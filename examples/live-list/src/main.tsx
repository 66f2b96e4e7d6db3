import { StowageClient } from '@stowage/client';
import { StowageProvider } from '@stowage/react';
import { type FormEvent, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { LiveList } from './live-list';

interface Opened {
  readonly client: StowageClient;
  readonly bucket: string;
}

/** Asks where the service is. An app has its own server for that: examples/folders. */
function App() {
  const [opened, setOpened] = useState<Opened>();
  if (opened) {
    return (
      <StowageProvider client={opened.client}>
        <LiveList bucket={opened.bucket} />
      </StowageProvider>
    );
  }
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name));
    const client = new StowageClient({ baseUrl: text('baseUrl'), apiKey: text('apiKey') });
    setOpened({ client, bucket: text('bucket') });
  };
  return (
    <form onSubmit={open}>
      <h1>Live list</h1>
      <label htmlFor="baseUrl">Address of the service</label>
      <input id="baseUrl" name="baseUrl" defaultValue="http://127.0.0.1:7070" required />
      <label htmlFor="apiKey">Temporary key</label>
      <input id="apiKey" name="apiKey" type="password" autoComplete="off" required />
      <label htmlFor="bucket">Bucket</label>
      <input id="bucket" name="bucket" defaultValue="photos" required />
      <button type="submit">Open</button>
    </form>
  );
}

const root = document.querySelector('#root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
