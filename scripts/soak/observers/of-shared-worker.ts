import { indexByLabel, informer } from 'rx-informers';
import { serveInformers, sharedListWatch } from 'rx-informers/shared-worker';
import { countRequests } from './counting-client.js';
import { bucketLabel, type Observer, type ObserverSetting } from './observer.js';
import { informerObserver } from './of-informers.js';

/** Returns an observer that reads from the shared cache of a worker, through a message channel. */
export function observerOfSharedWorker({ client, resource, limits, log }: ObserverSetting): Observer {
  const counted = countRequests(client);
  const worker = serveInformers(counted, limits);
  const ports: MessagePort[] = [];
  const { listWatch } = sharedListWatch(
    () => {
      const { port1, port2 } = new MessageChannel();
      ports.push(port1, port2);
      worker.accept(port1);
      return { port: port2 };
    },
    { identity: '' },
  );
  const observer = informerObserver(
    'shared worker',
    counted,
    informer(listWatch(counted, resource), { indexers: { [bucketLabel]: indexByLabel(bucketLabel) } }),
    log,
  );
  return {
    ...observer,
    stop: () => {
      observer.stop();
      worker.stop();
      for (const port of ports) port.close();
    },
  };
}
