// node keys.mjs make [--tier NAME] PERMISSIONS | revoke KEY: what MAKE_KEY and REVOKE_KEY run for a
// server. ADMIN_TOKEN is an access token of an administrator.
const { STOWAGE_URL, ADMIN_TOKEN } = process.env;
const [command, ...rest] = process.argv.slice(2);
const last = rest.at(-1) ?? '';
const tier = rest[0] === '--tier' ? rest[1] : undefined;

const post = async (path, body) => {
  const response = await fetch(`${STOWAGE_URL}/admin/v1/keys${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
};

if (command === 'make') {
  const settings = { name: 'acceptance', permissions: JSON.parse(last), tier };
  console.log((await post('', settings)).api_key);
} else {
  await post(`/${last.split('_')[1]}/revoke`);
}
