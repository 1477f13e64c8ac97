import { indexByNode, informer, informerRegistry, pods } from 'rx-informers';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';

describe('informer(client, resource, options)', () => {
  it('reads the resource with one options object and the clock of the client', () => {
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock });
    const webPods = informer(server.client, pods, { namespace: 'web', indexers: { node: indexByNode }, linger: 50 });
    const connection = webPods.connect();
    server.apply(aPod({ name: 'a', namespace: 'web', node: 'n1' }));
    server.apply(aPod({ name: 'b', namespace: 'db', node: 'n1' }));
    clock.advance(1_000);
    expect(webPods.indexKeys('node', 'n1')).toEqual(['web/a']);
    expect(webPods.resource).toBe(pods);
    connection.unsubscribe();
    clock.advance(51);
    expect(webPods.isRunning).toBe(false);
  });

  it('stores what transform returns', () => {
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock });
    const names = informer(server.client, pods, { transform: ({ metadata }) => ({ metadata, isKept: true }) });
    names.connect();
    server.apply(aPod({ name: 'a', namespace: 'web' }));
    clock.advance(1_000);
    expect(names.list().map(({ metadata, isKept }) => [metadata.name, isKept])).toEqual([['a', true]]);
    names.stop();
  });

  it('equals an informer of a registry: the same options, the same clock', () => {
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock });
    const registry = informerRegistry(server.client);
    const all = registry.informer(pods, { linger: 50 });
    expect(registry.informer(pods, { linger: 50, scheduler: clock })).toBe(all);
    all.connect().unsubscribe();
    clock.advance(51);
    expect(all.isRunning).toBe(false);
  });
});
