/** Formats operations as curl commands with the examples of the document. Pure functions. */
import type { Operation, Parameter } from './openapi';

const CREDENTIALS: Readonly<Record<Operation['needs'], string | undefined>> = {
  key: '"Authorization: Bearer $STOWAGE_KEY"',
  token: '"Authorization: Bearer $TOKEN"',
  nothing: undefined,
};

/** `root`: the address of the service. */
export function curlOf(operation: Operation, root: string): string {
  const { method, body, needs } = operation;
  const credential = CREDENTIALS[needs];
  const isJson = body?.types.includes('application/json') === true;
  const sendsFile = body !== undefined && !isJson;
  const parts = [
    // By default, curl -T sends a file by PUT, and -d sends its argument by POST.
    `curl${impliedMethod(isJson, sendsFile) === method ? '' : ` -X ${method}`}`,
    ...(credential === undefined ? [] : [`-H ${credential}`]),
    ...(isJson ? [`-H 'Content-Type: application/json'`] : []),
    ...(sendsFile ? ['-T FILE'] : []),
    ...(isJson ? [`-d ${quoted(JSON.stringify(body.example ?? {}))}`] : []),
    quoted(addressOf(operation, root)),
  ];
  return parts.join(' \\\n  ');
}

function impliedMethod(isJson: boolean, sendsFile: boolean): string {
  if (isJson) return 'POST';
  return sendsFile ? 'PUT' : 'GET';
}

function addressOf({ path, parameters }: Operation, root: string): string {
  const example = ({ name, example: value }: Parameter) => value ?? `<${name}>`;
  const at = (place: string) => parameters.filter((parameter) => parameter.place === place);
  const filled = at('path').reduce(
    (text, parameter) => text.replace(`{${parameter.name}}`, encodeURI(example(parameter))),
    path,
  );
  const query = at('query')
    .filter(({ isRequired }) => isRequired)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(example(parameter))}`)
    .join('&');
  return `${root.replace(/\/$/, '')}${filled}${query === '' ? '' : `?${query}`}`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
