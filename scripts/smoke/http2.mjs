import { KubeConfig } from '@kubernetes/client-node';
import assert from 'node:assert/strict';
import { informer, pods } from 'rx-informers';
import { kubeClient } from 'rx-informers/node';
import { aPod, createApiServer } from 'rx-informers/testing';
import { filter, firstValueFrom, timeout } from 'rxjs';

// A client that prefers HTTP/2 lists and watches on each runtime, if need be over HTTP/1.1.
const server = await createApiServer({ http2: true });
server.apply(aPod({ name: 'a' }));
const kubeConfig = new KubeConfig();
kubeConfig.loadFromString(server.kubeconfig());
const podInformer = informer(kubeClient(kubeConfig, { http2: true }), pods);
const names = async (count) => {
  const complete = podInformer.list$().pipe(
    filter(({ length }) => length === count),
    timeout(20_000),
  );
  return (await firstValueFrom(complete)).map(({ metadata }) => metadata.name);
};
assert.deepEqual(await names(1), ['a']);
server.apply(aPod({ name: 'b' }));
assert.deepEqual(await names(2), ['a', 'b']);
podInformer.stop();
await server.close();
