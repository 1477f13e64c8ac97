import { secretHeader, type IdentityOptions } from '../../server/identity-headers.js';

/** How the proxy of the tests tells who has sent a request. */
export const identity: IdentityOptions = {
  userHeader: 'x-forwarded-email',
  groupsHeader: 'x-forwarded-groups',
  groups: ['developers', 'domain users', 'operators'],
  secret: 'the-secret-of-the-proxy-is-long-enough',
};

/** Returns the headers that the proxy adds to a request. */
export function fromProxy(user: string, groups = ''): Readonly<Record<string, string>> {
  return {
    [secretHeader]: identity.secret,
    'x-forwarded-email': user,
    ...(groups !== '' && { 'x-forwarded-groups': groups }),
  };
}
