import {
  configMaps,
  createIndexer,
  informer,
  informerRegistry,
  listWatch,
  mergeSources,
  pods,
  resource,
  type KubeClient,
  inNamespaces,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { metaNamespaceKey } from 'rx-informers/store';
import { filter, NEVER, of } from 'rxjs';

const client: KubeClient = { exchange: () => NEVER };
const clock = resource({ group: 'example.com', version: 'v1', plural: 'clocks', namespaced: true });

describe('Collection.resource', () => {
  it.each([
    ['listWatch', listWatch(client, pods)],
    ['listWatch of metadata only', listWatch(client, pods, { metadataOnly: true })],
    ['listWatch of a fixed set of namespaces', listWatch(client, pods, { namespace: inNamespaces(['a', 'b']) })],
    ['listWatch of a changing set of namespaces', listWatch(client, pods, { namespace: inNamespaces(of(['a'])) })],
    ['overlay', overlay(listWatch(client, pods))],
    ['operators through which a source passes', listWatch(client, pods).through(filter(() => true))],
    ['mergeSources of two clusters', mergeSources({ a: listWatch(client, pods), b: listWatch(client, pods) })],
    [
      'mergeSources whose parts have equal descriptors',
      mergeSources({ a: listWatch(client, pods), b: listWatch(client, { ...pods }) }),
    ],
  ])('is known over %s', (_name, source) => {
    expect(informer(source).resource).toBe(pods);
  });

  it('is known for an informer of a registry', () => {
    expect(informerRegistry(client).informer(clock).resource).toBe(clock);
  });

  it('is known if the option `resource` is set', () => {
    const changed = listWatch(client, pods).pipe(filter(() => true));
    expect(informer(changed, { resource: pods }).resource).toBe(pods);
    expect(informer(listWatch(client, pods), { resource: clock }).resource).toBe(clock);
    expect(createIndexer(metaNamespaceKey, {}, { resource: pods }).resource).toBe(pods);
  });

  it('is kept after indexes were added', () => {
    expect(informer(listWatch(client, pods)).addIndexers({ all: () => 'all' }).resource).toBe(pods);
  });

  it.each([
    [
      'mergeSources of two resources',
      mergeSources<object>({ a: listWatch(client, pods), b: listWatch(client, configMaps) }),
    ],
    ['mergeSources of nothing', mergeSources({})],
    ['mergeSources of a changing set', mergeSources(of({ a: listWatch(client, pods) }))],
    ['mergeSources with a source of unknown resource', mergeSources<object>({ a: listWatch(client, pods), b: NEVER })],
    ['operators piped onto a source', listWatch(client, pods).pipe(filter(() => true))],
    ['a source of events', NEVER],
  ])('is undefined for an informer over %s', (_name, source) => {
    expect(informer(source).resource).toBeUndefined();
  });

  it('is undefined for an indexer unless given', () => {
    expect(createIndexer(metaNamespaceKey).resource).toBeUndefined();
  });
});
