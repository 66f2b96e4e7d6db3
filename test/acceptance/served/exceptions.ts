/** The behaviours that the service in one process does not have, by name, with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'makes browsers use HTTPS only': 'the header has no meaning without TLS',
  'ends a value of the query at a raw ; and refuses raw | { }':
    'API Gateway reads the query so; clients encode these characters',
  'the URL of a 307 is valid for at most 60 s':
    'the signed token has the expiry, which is no parameter: test/server/wire.test.ts tests it',
};
