import { customResourceDefinitions, type KubeClient } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { discover$, type Discovery } from 'rx-informers/requests';
import { createInMemoryApiServer, serverFaults, virtualClock } from 'rx-informers/testing';
import { of, throwError } from 'rxjs';
import { aDefinition } from '../fixtures/definition.js';

const widgets = aDefinition({ plural: 'widgets', kind: 'Widget', shortNames: ['wg'] });

function setup(change: (client: KubeClient) => KubeClient = (client) => client) {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler, users: { viewer: { name: 'viewer', allow: [] } } });
  const found: Discovery[] = [];
  const errors: unknown[] = [];
  const requests: string[] = [];
  server.requests$.subscribe(({ path }) => requests.push(path));
  const client = change(server.client);
  const start = (from: KubeClient = client, options = {}) =>
    discover$(from, options).subscribe({ next: (each) => found.push(each), error: (error) => errors.push(error) });
  return { server, scheduler, found, errors, requests, start };
}

/** A client that asks for the old form of discovery, as for servers before 1.27. */
function withoutAggregation(client: KubeClient): KubeClient {
  return { ...client, exchange: ({ headers: _, ...request }: KubeRequest) => client.exchange(request) };
}

const namesOf = ({ kinds }: Discovery): readonly string[] =>
  kinds.map(({ resource: { plural, version, group } }) => `${plural}.${version}.${group}`);

describe('discover$', () => {
  it.each([
    ['aggregated discovery', (client: KubeClient) => client],
    ['a request for each version of a group', withoutAggregation],
  ])('finds the kinds that can be watched by %s', (_, change) => {
    const { server, found, start } = setup(change);
    server.apply(widgets);
    start();
    const kinds = found[0]?.kinds ?? [];
    expect(kinds.find(({ resource: { kind } }) => kind === 'Widget')).toMatchObject({
      shortNames: ['wg'],
      verbs: expect.arrayContaining(['list', 'watch', 'create']) as never,
      resource: { group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true },
    });
    expect(kinds.find(({ resource: { plural } }) => plural === 'nodes')?.resource.namespaced).toBe(false);
    expect(kinds.filter(({ resource: { plural } }) => plural.includes('/'))).toEqual([]);
    expect(found).toMatchObject([{ unavailable: [] }]);
  });

  it('emits again within two seconds when a CustomResourceDefinition comes or goes, and not otherwise', () => {
    const { server, scheduler, found, start } = setup();
    start();
    scheduler.advance(5_000);
    expect(found).toHaveLength(1);
    server.apply(widgets);
    scheduler.advance(2_000);
    expect(found.map((each) => namesOf(each).includes('widgets.v1.example.com'))).toEqual([false, true]);
    server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    scheduler.advance(3_600_000);
    expect(found).toHaveLength(2);
    server.remove(customResourceDefinitions, 'widgets.example.com');
    scheduler.advance(2_000);
    expect(found.map((each) => namesOf(each).includes('widgets.v1.example.com'))).toEqual([false, true, false]);
  });

  it('finds a new kind after the interval, without the right to watch definitions', () => {
    const { server, scheduler, found, start } = setup();
    start(server.clientFor('viewer'), { interval: 60_000 });
    server.apply(widgets);
    scheduler.advance(59_000);
    expect(found).toHaveLength(1);
    scheduler.advance(2_000);
    expect(found.map((each) => namesOf(each).includes('widgets.v1.example.com'))).toEqual([false, true]);
  });

  it('keeps the kinds of a group that does not respond, and names it', () => {
    let isDown = false;
    const { server, scheduler, found, start } = setup((client) => ({
      ...withoutAggregation(client),
      exchange: ({ headers: _, ...request }) =>
        isDown && request.path.includes('example.com') ? throwError(() => new Error('down')) : client.exchange(request),
    }));
    server.apply(widgets);
    start(undefined, { interval: 60_000 });
    isDown = true;
    scheduler.advance(60_000);
    expect(found.map(({ unavailable }) => unavailable)).toEqual([[], ['example.com']]);
    expect(found.map((each) => namesOf(each).includes('widgets.v1.example.com'))).toEqual([true, true]);
  });

  it('names a group of aggregated discovery that is down once, even if it has several versions', () => {
    const down = ['v1beta2', 'v1beta1'].map((version) => ({ version, freshness: 'Stale', resources: [] }));
    const items = [{ metadata: { name: 'custom.metrics.k8s.io' }, versions: down }];
    const documents: Readonly<Record<string, object>> = { '/api': { versions: ['v1'] }, '/apis': { items } };
    const { found, start } = setup((client) => ({
      ...client,
      exchange: (request) =>
        of({ type: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(documents[request.path] ?? {})) }),
    }));
    start();
    expect(found.map(({ unavailable }) => unavailable)).toEqual([['custom.metrics.k8s.io']]);
  });

  it('takes each kind in the first version that has it', () => {
    const resources = (kinds: readonly string[]): readonly object[] =>
      kinds.map((kind) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['list', 'watch'] }));
    const versions = ['v1', 'v1beta1'].map((version) => ({ version }));
    const documents: Readonly<Record<string, object>> = {
      '/api': {},
      '/apis': { groups: [{ name: 'batch', versions }] },
      '/apis/batch/v1': { resources: resources(['Job']) },
      '/apis/batch/v1beta1': { resources: resources(['Job', 'CronJob']) },
    };
    const { found, start } = setup((client) => ({
      ...client,
      exchange: (request) =>
        of({ type: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(documents[request.path] ?? {})) }),
    }));
    start();
    expect(found.map(namesOf)).toEqual([['jobs.v1.batch', 'cronjobs.v1beta1.batch']]);
  });

  it('fails if the first requests fail, and later keeps what it has', () => {
    const { server, scheduler, found, errors, start } = setup();
    const isDiscovery = ({ path }: { readonly path: string }): boolean => /^\/apis?$/.test(path);
    server.faults.next(isDiscovery, serverFaults.respond(503), { times: 2 });
    start();
    expect(errors).toMatchObject([{ code: 'RXI_STATUS', statusCode: 503 }]);
    expect(scheduler.timers).toBe(0);
    start(undefined, { interval: 60_000 });
    server.faults.always(isDiscovery, serverFaults.respond(503));
    scheduler.advance(600_000);
    expect([found.length, errors.length]).toEqual([1, 1]);
  });

  it('ends all requests when it is unsubscribed', () => {
    const { scheduler, start } = setup();
    const discovery = start();
    scheduler.advance(10_000);
    discovery.unsubscribe();
    expect(scheduler.timers).toBe(0);
  });
});
