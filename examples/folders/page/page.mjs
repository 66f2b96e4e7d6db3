// Signs the user in (OpenID Connect, authorization code with PKCE), asks the app's server for a
// temporary key, and uses the storage with it.
import { StowageClient } from '/client.mjs';

const element = (id) => document.getElementById(id);
const HERE = `${location.origin}/`;
const config = await (await fetch('/config')).json();

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

async function beginSignIn() {
  const [verifier, state] = [random(), random()];
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const url = new URL(config.authorize);
  url.search = new URLSearchParams({
    client_id: config.clientId,
    redirect_uri: HERE,
    response_type: 'code',
    scope: 'openid',
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    state,
  });
  location.assign(url);
}

/** The ID token, when the issuer has just sent the user back. */
async function finishSignIn() {
  const query = new URLSearchParams(location.search);
  const { verifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}');
  if (!query.has('code') || !state || query.get('state') !== state) return undefined;
  sessionStorage.removeItem('sign-in');
  history.replaceState(undefined, '', HERE);
  const response = await fetch(config.token, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: config.clientId,
      redirect_uri: HERE,
      code: query.get('code'),
      code_verifier: verifier,
    }),
  });
  return (await response.json()).id_token;
}

/** Shows the folder, and every change of it when it happens. */
async function show({ baseUrl, apiKey, bucket, prefix, name }) {
  const client = new StowageClient({ baseUrl, apiKey });
  element('who').textContent = `Signed in as ${name}`;
  element('folder').hidden = false;
  element('file').addEventListener('change', async ({ target }) => {
    const [file] = target.files;
    const contentType = file.type || 'application/octet-stream';
    await client.put(bucket, prefix + file.name, file, { contentType });
    target.value = '';
  });
  const files = new Set();
  for await (const change of client.sync({ [bucket]: { cursor: 0, prefix } })) {
    if (change.type === 'put') files.add(change.object.key);
    else files.delete(change.object.key);
    const items = [...files].sort().map((key) => {
      const item = document.createElement('li');
      item.textContent = key.slice(prefix.length);
      return item;
    });
    element('files').replaceChildren(...items);
  }
}

const token = await finishSignIn();
if (token === undefined) {
  element('who').textContent = 'Nobody is signed in.';
  element('sign-in').hidden = false;
  element('sign-in').addEventListener('click', beginSignIn);
} else {
  const headers = { Authorization: `Bearer ${token}` };
  await show(await (await fetch('/key', { method: 'POST', headers })).json());
}
