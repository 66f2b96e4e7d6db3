import { encode } from '../../../adapters/aws/encode';

test('encode leaves the unreserved characters of RFC 3986 as they are, and no others', () => {
  const unreserved = 'AZaz09-._~';
  expect(encode(unreserved)).toBe(unreserved);
  expect(encode("!'()*/ +&=?#%:@$,;[]")).toBe(
    '%21%27%28%29%2A%2F%20%2B%26%3D%3F%23%25%3A%40%24%2C%3B%5B%5D',
  );
  expect(encode('ä😀')).toBe('%C3%A4%F0%9F%98%80');
});
