import { belowStage } from '../../../lambdas/site/app';
import { restEvent } from '../../support/requests';

const serve = belowStage(async ({ path }) => ({ status: 200, headers: {}, body: path }));

function at(path: string, requested: string) {
  const event = { ...restEvent({ path: '' }), path };
  return serve({ ...event, requestContext: { ...event.requestContext, path: requested } });
}

test('the stage without a slash redirects to the stage with one', async () => {
  expect(await at('/', '/api')).toEqual({
    status: 308,
    headers: { Location: '/api/', 'Cache-Control': 'no-store' },
  });
});

test.each([
  ['/', '/api/'],
  ['/assets/a.js', '/api/assets/a.js'],
])('%s of the stage is served', async (path, requested) => {
  expect(await at(path, requested)).toMatchObject({ status: 200, body: path });
});
