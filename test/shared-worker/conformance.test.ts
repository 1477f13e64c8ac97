import {
  configMaps,
  fromEvents,
  inNamespaces,
  informer,
  type listWatch,
  type ConfigMap,
  type KubeClient,
  type ListWatchOptions,
} from 'rx-informers';
import { serveInformers, sharedListWatch } from 'rx-informers/shared-worker';
import { latestOnly, watchEvent, type WatchEvent } from 'rx-informers/store';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeCollectionConformance,
  describeSourceConformance,
  virtualClock,
  type CollectionUnderTest,
  type SourceUnderTest,
} from 'rx-informers/testing';
import { asyncScheduler, identity, Subject } from 'rxjs';
import { byNode, pods, type Pod } from '../fixtures/pods.js';
import { testChannel } from './support/ports.js';

const { deleted, listed, modified } = watchEvent;

/** A page and a worker in this process, connected by a real `MessageChannel`. */
function overPort(client: KubeClient) {
  const worker = serveInformers(client);
  const { listWatch: shared } = sharedListWatch(
    () => {
      const { port1, port2 } = new MessageChannel();
      worker.accept(port2);
      return { port: port1 };
    },
    { identity: '' },
  );
  return { shared, stop: () => worker.stop() };
}

function overServer(
  options: ListWatchOptions<ConfigMap>,
  connect: typeof overPort = overPort,
): SourceUnderTest<ConfigMap> {
  const server = createInMemoryApiServer();
  const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text: text.padEnd(10_000) } });
  server.apply(Array.from({ length: 40 }, (_, index) => config(`b${index}`)));
  const { shared, stop } = connect(server.client);
  return {
    source: shared(server.client, configMaps, options),
    expected: () => server.objects.list(configMaps),
    change: (step) => {
      if (step === 2) server.remove(configMaps, 'b7', 'default');
      else server.apply(config(`c${step % 2}`, `step ${step}`));
    },
    stop: () => {
      stop();
      server.stop();
    },
  };
}

describeSourceConformance(() => overServer({}), { name: 'a source over a MessagePort' });
describeSourceConformance(() => overServer({ namespace: inNamespaces(['default', 'kube-system']) }), {
  name: 'a source of namespaces over a MessagePort',
});
describeSourceConformance(() => overServer({ transform: identity }), {
  name: 'a source with a transform over a MessagePort',
});
describeSourceConformance(
  () =>
    overServer({}, () => ({
      shared: sharedListWatch(
        () => {
          throw new ReferenceError('SharedWorker is not defined');
        },
        { identity: '' },
      ).listWatch,
      stop: () => undefined,
    })),
  { name: 'a source where there are no shared workers' },
);

/**
 * A port that delivers at once, so that a change behind the worker is a commit in the page before
 * it returns.
 */
function overPages(dedup?: typeof latestOnly): CollectionUnderTest {
  const events = new Subject<WatchEvent<Pod>>();
  // Heartbeats are tested elsewhere.
  const scheduler = virtualClock();
  const { client } = createInMemoryApiServer({ scheduler });
  const source = (() => fromEvents(events)) as unknown as typeof listWatch;
  const worker = serveInformers(client, { listWatch: source });
  const { listWatch: shared } = sharedListWatch(
    () => {
      const channel = testChannel();
      worker.accept(channel.worker);
      return { port: channel.page };
    },
    { identity: '', scheduler },
  );
  // The conformance suite uses keys without a namespace.
  const collection = informer(shared(client, { ...pods, namespaced: false }), {
    indexers: { node: byNode },
    scheduler: asyncScheduler,
    onUnobservedError: () => undefined,
    ...(dedup && { dedup }),
  });
  collection.connect();
  return {
    collection,
    replace: (objects) => events.next(listed(objects)),
    upsert: (pod) => events.next(modified(pod)),
    remove: (pod) => events.next(deleted(pod)),
  };
}

describeCollectionConformance(() => overPages(), { name: 'an informer over a shared worker' });
describeCollectionConformance(() => overPages(latestOnly), {
  name: 'an informer over a shared worker that keeps the latest of a batch',
});
