import { jest } from '@jest/globals';
import {
  createIndexer,
  deployments,
  informer,
  informerRegistry,
  listWatch,
  pods,
  resource,
  StatusError,
  type InformerError,
  type InformerOptions,
  type KubernetesObject,
  type Pod,
  inNamespaces,
  addEventHandler,
} from 'rx-informers';
import { metaNamespaceKey, type WatchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, serverFaults, virtualClock } from 'rx-informers/testing';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { until } from '../support/until.js';

const request = { method: 'GET', url: '/api/v1/pods' };
const refused = (code: number): WatchEvent<Pod> => ({ type: 'ERROR', error: new StatusError(request, { code }) });
const hour = 3_600_000;

/** A running informer whose unobserved errors are recorded. */
function running(options: InformerOptions<Pod, never> = {}) {
  const scheduler = new VirtualTimeScheduler();
  const source = new Subject<WatchEvent<Pod>>();
  const reported: string[] = [];
  const onUnobservedError = (error: InformerError, name: string): void => {
    reported.push(`${name}: ${error.code}`);
  };
  const all = informer(source, { scheduler, onUnobservedError, ...options });
  const connection = all.connect();
  return { source, scheduler, reported, pods: all, connection };
}

describe('G4: an error without a subscriber of errors$', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is reported with the name of the informer, once for each kind', () => {
    const { source, reported } = running({ name: 'web pods' });
    source.next(refused(403));
    source.next(refused(403));
    source.next(refused(500));
    source.next({ type: 'ADDED', object: {} as Pod });
    source.next({ type: 'ADDED', object: {} as Pod });
    expect(reported).toEqual(['web pods: RXI_STATUS', 'web pods: RXI_STATUS', 'web pods: RXI_KEY']);
  });

  it('is reported again an hour later, even if the clock was set back', () => {
    const { source, scheduler, reported } = running();
    const at = (time: number): number => {
      scheduler.frame = time;
      source.next(refused(403));
      return reported.length;
    };
    expect([at(1), at(hour), at(hour + 1), at(hour + 2), at(2), at(hour + 2)]).toEqual([1, 1, 2, 2, 3, 4]);
  });

  it('is reported by console.error without a reporter', () => {
    const written = jest.spyOn(console, 'error').mockReturnValue();
    const { source, scheduler } = running({ onUnobservedError: undefined });
    source.next({ type: 'ADDED', object: {} as Pod });
    expect(written.mock.calls).toEqual([[expect.stringMatching(/^informer: RXI_KEY: [^\n]*$/)]]);
    source.next(refused(403));
    scheduler.flush();
    expect(written.mock.calls.slice(1)).toEqual([
      [expect.stringMatching(/^informer: StatusError: GET .* 403.*subscribe to errors\$/)],
    ]);
  });

  it('is one line for each cluster and cause with a count, however many informers fail', () => {
    const written = jest.spyOn(console, 'error').mockReturnValue();
    const clock = virtualClock();
    const clusters = ['east', 'west'].map(() => createInMemoryApiServer({ scheduler: clock }));
    const kinds = Array.from({ length: 60 }, (_, index) =>
      resource<KubernetesObject>({ group: 'example.com', version: 'v1', plural: `k${index}s`, namespaced: true }),
    );
    const informers = clusters.flatMap(({ client }) => kinds.map((kind) => informer(client, kind)));
    for (const all of informers) all.connect();
    clock.advance(10_000);
    const lines = () =>
      written.mock.calls
        .map((call) => call.map(String).join(' '))
        .join('\n')
        .split('\n');
    expect(lines()).toHaveLength(clusters.length);
    expect(lines()[0]).toMatch(
      /^k0s\.example\.com, k1s\.example\.com, k2s\.example\.com and \d+ more: \d+ errors of one cause, the first: StatusError: GET \S+: 404/,
    );
    for (const fault of [serverFaults.refuse(), serverFaults.respond(500), serverFaults.refuse()]) {
      for (const server of clusters) server.faults.always('any', fault);
      clock.advance(20_000);
    }
    expect(lines().length).toBeLessThanOrEqual(10);
    for (const all of informers) all.stop();
    for (const server of clusters) server.stop();
  });

  it('is one line for a single informer, and again an hour later', () => {
    const written = jest.spyOn(console, 'error').mockReturnValue();
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock });
    server.faults.always('any', serverFaults.refuse());
    const all = informer(server.client, pods);
    all.connect();
    clock.advance(3_000);
    expect(written.mock.calls).toEqual([[expect.stringMatching(/^pods: RXI_CONNECTION: GET .*\berrors\$$/)]]);
    clock.advance(hour - 10_000);
    expect(written).toHaveBeenCalledTimes(1);
    clock.advance(100_000);
    expect(written).toHaveBeenCalledTimes(2);
    all.stop();
    server.stop();
  });

  it('is not reported while errors$ has a subscriber, and again after the last one has unsubscribed', () => {
    const { source, reported, pods: all } = running();
    const seen: string[] = [];
    const observing = all.errors$.subscribe(({ code }) => seen.push(code));
    source.next(refused(403));
    observing.unsubscribe();
    source.next(refused(403));
    expect([seen, reported]).toEqual([['RXI_STATUS'], ['informer: RXI_STATUS']]);
  });

  it('is reported without effect on the data if the reporter throws; rxjs reports that error', () => {
    jest.useFakeTimers();
    try {
      const { source, pods: all } = running({
        onUnobservedError: () => {
          throw new Error('a mistake in the reporter');
        },
      });
      source.next({ type: 'ADDED', object: {} as Pod });
      source.next({ type: 'ADDED', object: aPod({ name: 'a' }) });
      expect(all.keys()).toEqual(['default/a']);
      expect(() => jest.runAllTimers()).toThrow('a mistake in the reporter');
    } finally {
      jest.useRealTimers();
    }
  });

  it('is not reported if the connection fails while the informer lingers', () => {
    const { source, reported, connection } = running();
    connection.unsubscribe();
    source.next(refused(500));
    expect(reported).toEqual([]);
    source.next({ type: 'ADDED', object: {} as Pod });
    expect(reported).toEqual(['informer: RXI_KEY']);
  });

  it('is not reported if it is expected: an expired version leads to a list', () => {
    const scheduler = new VirtualTimeScheduler();
    const server = createInMemoryApiServer({ scheduler });
    const reported: InformerError[] = [];
    const seen: InformerError[] = [];
    for (const errors of [reported, seen]) {
      server.faults.next('watch', serverFaults.expire());
      const all = informer(listWatch(server.client, pods, { scheduler, initialList: 'pages' }), {
        scheduler,
        onUnobservedError: (error) => reported.push(error),
      });
      if (errors === seen) all.errors$.subscribe((error) => seen.push(error));
      all.connect();
      scheduler.maxFrames = scheduler.frame + 10_000;
      scheduler.flush();
    }
    expect(seen).toEqual([expect.objectContaining({ name: 'StatusError', statusCode: 410, expected: true })]);
    expect(reported).toEqual([]);
  });

  it('is reported with the resource of the informer, also from a registry and from several namespaces', () => {
    const scheduler = new VirtualTimeScheduler();
    const server = createInMemoryApiServer({ scheduler });
    server.faults.always('any', serverFaults.refuse());
    const names: string[] = [];
    const options = { scheduler, onUnobservedError: (_error: InformerError, name: string) => names.push(name) };
    const registry = informerRegistry(server.client);
    informer(listWatch(server.client, pods, { scheduler, namespace: inNamespaces(['a', 'b']) }), options).connect();
    registry.informer(deployments, options).connect();
    scheduler.maxFrames = 100;
    scheduler.flush();
    expect(names).toEqual(['pods', 'deployments.apps']);
  });

  it('is reported by an indexer too: for an index function, and for each handler', async () => {
    const reported: string[] = [];
    const fail = (): never => {
      throw new Error('a mistake of the user');
    };
    const things = createIndexer<Pod, 'node'>(
      metaNamespaceKey,
      { node: fail },
      { onUnobservedError: (error, name) => reported.push(`${name}: ${error.code}`) },
    );
    addEventHandler(things, { onAdd: fail, onDelete: fail });
    things.add(aPod({ name: 'a' }));
    things.add(aPod({ name: 'b' }));
    things.delete('default/a');
    await until(() => reported.length === 3);
    expect(reported.toSorted()).toEqual([
      'indexer: RXI_HANDLER',
      'indexer: RXI_HANDLER',
      'indexer: RXI_INDEX_FUNCTION',
    ]);
  });
});

it('a registry shares an informer between requests that differ in name and reporter only', () => {
  const registry = informerRegistry(createInMemoryApiServer().client);
  expect(registry.informer(pods, { name: 'mine', onUnobservedError: () => undefined })).toBe(registry.informer(pods));
});
