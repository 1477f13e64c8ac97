import { jest } from '@jest/globals';
import { createIndexer, lister, metaNamespaceKey, indexByNamespace, selectNothing, type Reads } from 'rx-informers';
import { aPod, type Pod } from '../fixtures/pods.js';

const shop = aPod({ name: 'shop', namespace: 'web', labels: { app: 'shop' } });
const cache = aPod({ name: 'cache', namespace: 'web', labels: { app: 'shop', tier: 'cache' } });
const login = aPod({ name: 'login', namespace: 'auth', labels: { app: 'login' } });
const bare = aPod({ name: 'bare' });

const indexed = createIndexer<Pod, 'namespace'>(metaNamespaceKey, { namespace: indexByNamespace });
const plain = createIndexer<Pod>(metaNamespaceKey);
indexed.replace([shop, cache, login, bare]);
plain.replace([shop, cache, login, bare]);

describe.each([
  ['with a namespace index', indexed],
  ['without a namespace index', plain],
  ['over a snapshot', indexed.snapshot],
])('S16: a lister %s', (_name, collection) => {
  const pods = lister<Pod, string>(collection, { resource: 'pods' });

  it('lists everything, in key order', () => {
    expect(pods.list()).toEqual(
      [login, bare, cache, shop].sort((one, other) => (metaNamespaceKey(one) < metaNamespaceKey(other) ? -1 : 1)),
    );
  });

  it('lists by selector, as text and as an object', () => {
    expect(pods.list('app=shop,tier!=cache')).toEqual([shop]);
    expect(pods.list({ matchLabels: { app: 'shop' } })).toEqual([cache, shop]);
    expect(pods.list('app=none')).toEqual([]);
    expect(pods.list('')).toHaveLength(4);
  });

  it('throws for a malformed selector', () => {
    expect(() => pods.list('app in (')).toThrow(expect.objectContaining({ name: 'InvalidSelectorError' }));
  });

  it('lists one namespace; the empty one means all', () => {
    expect(pods.namespaced('web').list()).toEqual([cache, shop]);
    expect(pods.namespaced('web').list('tier')).toEqual([cache]);
    expect(pods.namespaced('nowhere').list()).toEqual([]);
    expect(pods.namespaced('').list()).toHaveLength(4);
  });

  it('gets by key, and by name within a namespace', () => {
    expect(pods.get('web/shop')).toBe(shop);
    expect(pods.namespaced('web').get('shop')).toBe(shop);
    expect(pods.namespaced('').get('bare')).toBe(bare);
    expect(pods.namespaced('web').namespaced('auth').get('login')).toBe(login);
  });

  it('throws NotFound with the missing key', () => {
    expect(() => pods.get('web/gone')).toThrow(
      expect.objectContaining({ name: 'ObjectNotFoundError', resource: 'pods', key: 'web/gone' }),
    );
    expect(() => pods.namespaced('web').get('login')).toThrow('pods "web/login" not found in the cache');
  });
});

describe('a lister', () => {
  it('reads from the version that is current at each call', () => {
    const indexer = createIndexer<Pod>(metaNamespaceKey);
    const pods = lister(indexer);
    expect(() => pods.get('bare')).toThrow('object "bare" not found');
    indexer.add(bare);
    expect(pods.get('bare')).toBe(bare);
  });

  it('G10: reads only the objects of the listed namespace', () => {
    const read: string[] = [];
    const counted = (pod: Pod): Pod => ({
      ...pod,
      get metadata() {
        read.push(pod.metadata.name);
        return pod.metadata;
      },
    });
    const indexer = createIndexer<Pod, 'ns'>(metaNamespaceKey, { ns: indexByNamespace });
    indexer.replace([shop, cache, login].map(counted));
    const pods = lister(indexer, { namespaceIndex: 'ns' });
    read.length = 0;
    expect(pods.namespaced('auth').list('app')).toHaveLength(1);
    expect([...new Set(read)]).toEqual(['login']);
  });
});

describe('a lister with a trivial selector', () => {
  it('S16: reads no object for a selector that matches nothing, and no labels for one that matches everything', () => {
    const readLabels = jest.fn(() => ({ app: 'shop' }));
    const watched = {
      metadata: {
        get labels() {
          return readLabels();
        },
      },
    };
    const list = jest.fn(() => [watched]);
    const pods = lister({ list, indexers: {} } as unknown as Reads<typeof watched>);

    expect(pods.list(selectNothing)).toEqual([]);
    expect(list).not.toHaveBeenCalled();
    expect(pods.list('')).toHaveLength(1);
    expect(readLabels).not.toHaveBeenCalled();
    expect(pods.list('app=shop')).toHaveLength(1);
    expect(readLabels).toHaveBeenCalledTimes(1);
  });
});
