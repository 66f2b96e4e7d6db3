/** The addresses that a deployment answers at, and its clock. */
import { type Check, reported, saw } from '../check';
import { demand, requireStatus } from '../demand';

export const ADDRESS_CHECKS: readonly Check[] = [
  {
    assumption: 'the base URL serves the dashboard and the description of the interface',
    run: async (service) => {
      const page = await service.send('GET', '/');
      requireStatus(page, 200);
      const type = page.headers['content-type'];
      demand(/^text\/html/.test(type ?? ''), `a page of the Content-Type ${type}`);
      requireStatus(await service.send('GET', '/openapi.json'), 200);
      return saw('status 200 each');
    },
  },
  {
    assumption: 'the edge answers',
    run: async (service) => {
      const { headers } = await service.send('GET', '/');
      const place = headers['x-amz-cf-pop'];
      if (place === undefined) return reported('no header of CloudFront');
      const transport = headers['strict-transport-security'];
      demand(transport !== undefined, `CloudFront at ${place}, without Strict-Transport-Security`);
      return saw(`CloudFront at ${place}`);
    },
  },
  {
    assumption: 'the clocks agree',
    run: async (service) => {
      const before = Date.now();
      const { date } = (await service.send('GET', '/')).headers;
      if (date === undefined) return reported('no Date in the response');
      // Date has whole seconds.
      const difference = Date.parse(date) + 500 - (before + Date.now()) / 2;
      const seconds = Math.round(Math.abs(difference) / 1000);
      return reported(`${seconds} s apart`);
    },
  },
];
