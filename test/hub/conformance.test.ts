import { configMaps, informerRegistry, inNamespaces, type ConfigMap, type ListWatchOptions } from 'rx-informers';
import { connectHub, hubSource, serveHub } from 'rx-informers/hub';
import { serveInformers, sharedListWatch } from 'rx-informers/shared-worker';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  type SourceUnderTest,
} from 'rx-informers/testing';
import { identity } from 'rxjs';
import { testChannel } from '../shared-worker/support/ports.js';
import { scene } from './support/scene.js';
import { openPage, socketPair } from './support/sockets.js';

function overHub(options: ListWatchOptions<ConfigMap>): SourceUnderTest<ConfigMap> {
  const server = createInMemoryApiServer();
  const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text: text.padEnd(10_000) } });
  server.apply(Array.from({ length: 40 }, (_, index) => config(`b${index}`)));
  const hub = serveHub({ client: server.client, kinds: [configMaps] });
  const connection = connectHub(() => {
    const pair = socketPair();
    queueMicrotask(() => {
      hub.accept(pair.hub, { user: 'ada' });
      openPage(pair);
    });
    return pair.page;
  });
  return {
    source: hubSource(connection, configMaps, options),
    expected: () => server.objects.list(configMaps),
    change: (step) => {
      if (step === 2) server.remove(configMaps, 'b7', 'default');
      else server.apply(config(`c${step % 2}`, `step ${step}`));
    },
    stop: () => {
      hub.stop();
      server.stop();
    },
  };
}

describeSourceConformance(() => overHub({}), { name: 'a source over a hub' });
describeSourceConformance(() => overHub({ namespace: inNamespaces(['default', 'kube-system']) }), {
  name: 'a source of namespaces over a hub',
});
describeSourceConformance(() => overHub({ transform: identity }), { name: 'a source with a transform over a hub' });

describe('listWatch of a hub connection', () => {
  it('is a listWatch for a registry, and for the informers of a shared worker', () => {
    const made = scene();
    made.server.apply(aConfigMap({ namespace: 'shop', name: 'a' }));
    const page = made.page();
    const client = made.server.client;
    const registry = informerRegistry(client, { listWatch: page.connection.listWatch });
    const own = registry.informer(configMaps, { namespace: 'shop' });
    registry.start();
    const worker = serveInformers(client, { listWatch: page.connection.listWatch });
    const tab = sharedListWatch(
      () => {
        const channel = testChannel();
        worker.accept(channel.worker);
        return { port: channel.page };
      },
      { identity: '', scheduler: made.clock },
    );
    const shared = informerRegistry(client, { listWatch: tab.listWatch }).informer(configMaps, { namespace: 'shop' });
    shared.connect();
    made.clock.advance(1_000);
    made.server.apply(aConfigMap({ namespace: 'shop', name: 'b' }));
    made.clock.advance(1_000);
    expect([own.keys(), shared.keys()]).toEqual([
      ['shop/a', 'shop/b'],
      ['shop/a', 'shop/b'],
    ]);
    expect(page.sockets).toHaveLength(1);
  });

  it('stores only the metadata with metadataOnly', () => {
    const made = scene();
    made.server.apply(aConfigMap({ namespace: 'shop', name: 'a', data: { text: 'x' } }));
    const { informer } = made.page().follow({ namespace: 'shop', metadataOnly: true } as never);
    made.clock.advance(1_000);
    expect(Object.keys(informer.list()[0] ?? {})).toEqual(['apiVersion', 'kind', 'metadata']);
  });
});
