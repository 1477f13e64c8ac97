import { fromEvents, indexByNode, informer, watchEvent } from 'rx-informers';

const pods = [{ metadata: { name: 'a', uid: 'uid-a', resourceVersion: '1' }, spec: { nodeName: 'n1' } }];
informer(fromEvents([watchEvent.listed(pods, '1')]), { indexers: { node: indexByNode } })
  .byIndex$('node', 'n1')
  .subscribe((bucket) => {
    globalThis.names = bucket.map(({ metadata }) => metadata.name).join();
  });
