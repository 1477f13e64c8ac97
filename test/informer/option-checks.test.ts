import {
  addEventHandler,
  createIndexer,
  dedupDeltas,
  fromEvents,
  informer,
  informerRegistry,
  inNamespaces,
  listWatch,
  pods,
  type Pod,
} from 'rx-informers';
import { controller, workqueue } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { resourceClient } from 'rx-informers/requests';
import { latestOnly, metaNamespaceKey } from 'rx-informers/store';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { window$ } from 'rx-informers/views';
import { NEVER } from 'rxjs';
import { errorWith } from '../support/error-with.js';

const { client } = createInMemoryApiServer();
const source = fromEvents<Pod>([]);
const collection = createIndexer<Pod>(metaNamespaceKey);

/** Options from JavaScript, which no compiler checks. */
function input(options: object): never {
  return options as never;
}

const enumerations: [string, () => unknown, string][] = [
  ['informer', () => informer(source, input({ dedup: 'latestOnly' })), 'dedup'],
  ['informer', () => informer(client, pods, input({ dedup: 'latestOnly' })), 'dedup'],
  ['listWatch', () => listWatch(client, pods, input({ dedup: 'latest' })), 'dedup'],
  ['dedupDeltas', () => dedupDeltas(input('latestOnly' as never)), 'dedup'],
  ['listWatch', () => listWatch(client, pods, input({ initialList: 'page' })), 'initialList'],
  [
    'listWatch',
    () => listWatch(client, pods, input({ namespace: inNamespaces(['a']), initialList: 'page' })),
    'initialList',
  ],
  ['listWatch', () => listWatch(client, pods, input({ listConsistency: 'most recent' })), 'listConsistency'],
  ['informer', () => informer(source, input({ freeze: 'samples' })), 'freeze'],
  [
    'derived.selectorJoin',
    () => derived.selectorJoin(collection, collection, input({ selector: () => '', within: 'namespaces' })),
    'within',
  ],
  ['derived.topK', () => derived.topK(1, () => 1, input({ order: 'asc' })), 'order'],
  ['window$', () => window$(collection, input({ sortBy: [{ value: () => 1, direction: 'desc' }] })), 'direction'],
  [
    'resourceClient.patch',
    () => resourceClient(client, pods).patch('web/a', {}, input({ type: 'json-patch' })),
    'type',
  ],
];

const names: [string, () => unknown, string, string][] = [
  ['informer', () => informer(source, input({ indexer: {} })), 'indexer', 'indexers'],
  ['informer', () => informer(client, pods, input({ labelselector: 'a=b' })), 'labelselector', 'labelSelector'],
  ['informer', () => informer(client, pods, input({ lingers: 5 })), 'lingers', 'linger'],
  ['listWatch', () => listWatch(client, pods, input({ fieldSelectors: 'a=b' })), 'fieldSelectors', 'fieldSelector'],
  [
    'informerRegistry',
    () => informerRegistry(client).informer(pods, input({ nameSpace: 'web' })),
    'nameSpace',
    'namespace',
  ],
  ['createIndexer', () => createIndexer(metaNamespaceKey, {}, input({ frozen: 1, freez: true })), 'freez', 'freeze'],
  ['derived.filter', () => derived.filter(collection, 'a', input({ Indexers: {} })), 'Indexers', 'indexers'],
  ['addEventHandler', () => addEventHandler(collection, input({ onadd: () => 1 })), 'onadd', 'onAdd'],
  ['addEventHandler', () => addEventHandler(collection, input({ onDeleted: () => 1 })), 'onDeleted', 'onDelete'],
  [
    'addEventHandler',
    () => addEventHandler(collection, {}, input({ resyncperiod: 5 })),
    'resyncperiod',
    'resyncPeriod',
  ],
  [
    'controller',
    () => controller(input({ for: collection, reconcile: () => undefined, concurency: 4 })),
    'concurency',
    'concurrency',
  ],
  ['workqueue', () => workqueue(() => undefined, input({ maxretries: 4 })), 'maxretries', 'maxRetries'],
];

describe('an option that has a fixed set of values', () => {
  it.each(enumerations)('%s throws for any other value: %#', (_name, attempt, option) => {
    expect(attempt).toThrow(expect.objectContaining({ code: 'RXI_INVALID_OPTION', option }));
  });

  it('throws in production too', () => {
    inProduction(() => {
      for (const [, attempt] of enumerations) expect(attempt).toThrow(errorWith('RXI_INVALID_OPTION'));
    });
  });

  it('says which value to pass for dedup', () => {
    expect(() => informer(source, input({ dedup: 'latestOnly' }))).toThrow(
      'dedup must be "client-go" or the value latestOnly of rx-informers, not "latestOnly"',
    );
    expect(() => informer(source, { dedup: latestOnly })).not.toThrow();
  });
});

describe('a misspelt name of an option or a callback', () => {
  it.each(names)('%s throws in development, and names the nearest name: %#', (_name, attempt, wrong, right) => {
    expect(attempt).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(attempt).toThrow(`must be named ${right}, not "${wrong}"`);
  });

  it('costs nothing in production, and is ignored there', () => {
    inProduction(() => {
      for (const [, attempt] of names) expect(attempt).not.toThrow();
    });
  });

  it('is no name that resembles none, such as a field of a larger object', () => {
    const request = { namespace: 'web', title: 'Pods', source: NEVER, refresh: 5, add: 1 };
    expect(() => informer(client, pods, request)).not.toThrow();
    expect(() => addEventHandler(collection, { onAdd: () => 1, ...request }).unsubscribe()).not.toThrow();
  });
});

function inProduction(attempt: () => void): void {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    attempt();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}
