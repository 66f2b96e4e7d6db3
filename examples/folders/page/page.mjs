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
    try {
      await client.upload(bucket, prefix + file.name, file);
    } catch (error) {
      element('who').textContent = `${file.name} was not uploaded: ${error.message}`;
    }
    target.value = '';
  });
  const files = new Set();
  for await (const event of client.mirror(bucket, { prefix })) {
    if (event.type === 'reset') files.clear();
    else if (event.type === 'delete') files.delete(event.object.key);
    else if (event.type === 'snapshot' || event.type === 'put') files.add(event.object.key);
    else {
      const items = [...files].sort().map((key) => {
        const item = document.createElement('li');
        item.textContent = key.slice(prefix.length);
        return item;
      });
      element('files').replaceChildren(...items);
    }
  }
}

/** `reason`: for the person who has to sign in. */
function offerSignIn(reason) {
  element('who').textContent = reason;
  element('folder').hidden = true;
  element('sign-in').hidden = false;
  element('sign-in').addEventListener('click', beginSignIn, { once: true });
}

const token = await finishSignIn();
if (token === undefined) {
  offerSignIn('Nobody is signed in.');
} else {
  const headers = { Authorization: `Bearer ${token}` };
  try {
    const response = await fetch('/key', { method: 'POST', headers });
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
    // Ends with the key, after an hour.
    await show(await response.json());
  } catch (error) {
    offerSignIn(`Sign in again: ${error.message}`);
  }
}
