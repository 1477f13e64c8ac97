import { configMaps, type KubeClient } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { controller, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { config, concat, EMPTY, ignoreElements, of, type Observable } from 'rxjs';
import { playhouse, scale, type Scale } from './support/scaling.js';
import { notify } from './support/words.js';

type Playhouse = ReturnType<typeof playhouse>;
const places: Playhouse[] = [];
const unhandled: unknown[] = [];
beforeAll(() => (config.onUnhandledError = (error) => unhandled.push(error)));
afterAll(() => (config.onUnhandledError = null));
afterEach(async () => {
  for (const { server } of places.splice(0)) server.stop();
  // RxJS reports an error without a handler in a turn of its own.
  await new Promise((resolve) => setTimeout(resolve));
  expect(unhandled.splice(0)).toEqual([]);
});

/** Returns a place with three children of `a`, whose cache is two seconds behind. */
function place(finalizers: readonly string[] = []): Playhouse {
  const made = playhouse({ late: 2_000 });
  places.push(made);
  for (const name of ['x', 'y', 'z']) {
    const metadata = { name, namespace: 'default', labels: { of: 'a' }, finalizers };
    resourceClient(made.server.client, configMaps).create({ metadata }).subscribe();
  }
  return made;
}

/** Deletes all children of a scale of size 0. */
function clearing({ scheduler, scaleInformer, children }: Playhouse, client: KubeClient) {
  return controller({
    for: scaleInformer,
    watches: [{ source: children, map: () => 'default/a' }],
    client,
    scheduler,
    reconcile: ({ object, client: own }: ReconcileRequest<Scale, KubeClient>): Observable<never> => {
      const left = children.list().filter(({ metadata }) => !('deletionTimestamp' in metadata));
      if (object?.spec.replicas !== 0 || left.length === 0) return EMPTY;
      const childClient = resourceClient(own, configMaps, { scheduler });
      return childClient.deleteCollection({ namespace: 'default', labelSelector: 'of=a' }).pipe(ignoreElements());
    },
  });
}

/** Touches the scale five times within two seconds. */
function touchOften({ clock, server }: Playhouse): void {
  for (let touch = 1; touch <= 5; touch++) {
    clock.advance(400);
    server.apply({ ...scale('a', 0), spec: { replicas: 0, touch } });
  }
}

/** A client over which the server answers a DELETE with a status that names no objects. */
function withoutItems(client: KubeClient): KubeClient {
  const status = new TextEncoder().encode(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Success' }));
  const answer: readonly ResponsePart[] = [
    { type: 'head', status: 200, headers: { 'content-type': 'application/json' } },
    { type: 'bytes', bytes: status },
  ];
  return {
    ...client,
    exchange: (request) =>
      request.method === 'DELETE'
        ? concat(client.exchange(request).pipe(ignoreElements()), of(...answer))
        : client.exchange(request),
  };
}

describe('controller({ client }): deleteCollection', () => {
  it.each([
    ['whose answer lists the deleted objects', (client: KubeClient) => client],
    ['whose answer names no objects', withoutItems],
  ])('sends one request, %s, although the cache still has the objects', (_what, connected) => {
    const made = place();
    const { clock, server, client, count, requests } = made;
    server.apply(scale('a', 0));
    const { subscription, words } = notify(clearing(made, connected(client)));
    clock.advance(2_001);
    touchOften(made);
    clock.advance(70_000);
    expect([requests('DELETE'), count()]).toEqual([1, 0]);
    expect(words.filter((word) => word.includes(' failed') || word.includes('released unobserved 90000'))).toEqual([]);
    expect(words.at(-1)).toBe('default/a succeeded');
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('waits until the cache shows that objects with finalizers are terminating, not until they are gone', () => {
    const made = place(['example.com/a']);
    const { clock, server, client, count, requests } = made;
    server.apply(scale('a', 0));
    const { subscription, news } = notify(clearing(made, client), clock);
    clock.advance(2_001);
    news();
    touchOften(made);
    expect(news()[0]).toBe('4000 default/a started');
    expect([requests('DELETE'), count()]).toEqual([1, 3]);
    subscription.unsubscribe();
  });

  it('does not wait for objects that were not there, nor after a dry run', () => {
    const made = place();
    const { clock, scheduler, server, client, scaleInformer, children } = made;
    server.apply(scale('a', 0));
    const { subscription, words } = notify(
      controller({
        for: scaleInformer,
        owns: [children],
        client,
        scheduler,
        reconcile: ({ client: own }) => {
          const childClient = resourceClient(own, configMaps, { scheduler });
          return concat(
            childClient.deleteCollection({ namespace: 'default', labelSelector: 'of=b' }),
            childClient.deleteCollection({ namespace: 'default', labelSelector: 'of=a', dryRun: true }),
          ).pipe(ignoreElements());
        },
      }),
    );
    clock.advance(2_001);
    server.apply(scale('a', 1));
    clock.advance(1);
    expect(words).toEqual([
      'synced',
      'default/a started',
      'default/a succeeded',
      'default/a started',
      'default/a succeeded',
    ]);
    subscription.unsubscribe();
  });
});
