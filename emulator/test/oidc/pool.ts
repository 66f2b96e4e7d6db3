import type { UserPool } from '../../src/services/oidc/user-pool';

export const PAGE = 'http://127.0.0.1:7070/';

export const POOL: UserPool = {
  issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_abc',
  domain: 'https://developers.auth.us-east-1.amazoncognito.com',
  clients: [
    {
      id: 'dashboard',
      callbackUrls: [PAGE],
      logoutUrls: [PAGE],
      scopes: ['openid', 'email'],
      accessTokenSeconds: 1800,
      refreshTokenSeconds: 43_200,
      revocation: true,
    },
  ],
  groups: ['admins'],
};
