import { defineRequest, fetchClient, indexByNamespace, informerRegistry, pods } from 'rx-informers';

export const registry = informerRegistry(fetchClient());
export const podsByNamespace = defineRequest(pods, { indexers: { namespace: indexByNamespace } });
