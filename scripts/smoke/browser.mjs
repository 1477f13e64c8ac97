import { fromEvents, indexByNode, informer, pods as allPods } from 'rx-informers';
import { watchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer } from 'rx-informers/testing/in-memory';

const pods = [{ metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1' }, spec: { nodeName: 'n1' } }];
informer(fromEvents([watchEvent.listed(pods, '1')]), { indexers: { node: indexByNode } })
  .byIndex$('node', 'n1')
  .subscribe((bucket) => {
    globalThis.names = bucket.map(({ metadata }) => metadata.name).join();
  });

const server = createInMemoryApiServer();
server.apply(aPod({ name: 'b', node: 'n1' }));
globalThis.stored = server.objects
  .list(allPods)
  .map(({ metadata }) => metadata.name)
  .join();
