import { kubeCredentials, type KubeConfigLike, type KubeCredentials } from 'rx-informers/node';
import { isUserName, type Identity } from './identity-headers.js';
import { addressOf } from './viewer-token.js';

/** Reads the address and the credentials for one viewer, who has its own rights with them. */
export type ReadCredentials = () => Promise<KubeCredentials>;

/**
 * Returns the credentials of viewers who have signed in with a token: the address of the API server
 * and that token, without the credentials of the kubeconfig.
 */
export function tokenCredentials(kubeConfig: KubeConfigLike): (token: string) => ReadCredentials {
  const read = kubeCredentials(addressOf(kubeConfig));
  return (token) => async () => {
    const { server, options } = await read();
    return { server, options: { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } } };
  };
}

/**
 * Returns the credentials of viewers whom a proxy identifies: those of the kubeconfig, which
 * impersonate the viewer. They cannot be read without an identity, so no request has the rights of
 * the kubeconfig itself.
 *
 * The API server adds the group `system:authenticated`. It answers 403 if the account may not
 * impersonate the user, or one of the groups.
 *
 * @throws if the name of the user is not valid. The API server does not impersonate a user without
 *   a name, so such a request would have the rights of the kubeconfig
 */
export function impersonation(kubeConfig: KubeConfigLike): (identity: Identity) => ReadCredentials {
  const read = kubeCredentials(kubeConfig);
  return ({ user, groups }) => {
    if (!isUserName(user)) throw new Error('a viewer without a valid name cannot be impersonated');
    return async () => {
      const { server, options } = await read();
      // A kubeconfig may impersonate another user itself.
      const own = Object.entries(options.headers).filter(([name]) => !name.toLowerCase().startsWith('impersonate-'));
      const headers = {
        ...Object.fromEntries(own),
        'impersonate-user': user,
        ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
      };
      return { server, options: { ...options, headers } };
    };
  };
}
