import {
  filterUpdates,
  informer,
  type KubernetesObject,
  resource,
  deployments,
  type Deployment,
  configMaps,
  type KubeClient,
  listWatch,
} from 'rx-informers';
import { controller, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { changed } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock, type VirtualClock, serverFaults } from 'rx-informers/testing';
import { catchError, EMPTY, ignoreElements, of, Subject, type Observable } from 'rxjs';
import { countedClient } from './support/counted-client.js';
import { notify } from './support/words.js';

interface Website extends KubernetesObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: { readonly replicas: number; readonly settings?: string };
}

const websites = resource<Website>({
  group: 'example.com',
  version: 'v1',
  plural: 'websites',
  kind: 'Website',
  namespaced: true,
});

const website = (name: string, spec: Website['spec']) => ({
  apiVersion: 'example.com/v1',
  kind: 'Website',
  metadata: { name, namespace: 'web' },
  spec,
});

function deploymentOf({ metadata, spec }: Website) {
  const { name, namespace, uid } = metadata;
  const labels = { app: name };
  const owner = { apiVersion: 'example.com/v1', kind: 'Website', name, uid, controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, ownerReferences: [owner] },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  };
}

function operator(client: KubeClient, clock: VirtualClock) {
  const scheduler = clock;
  const options = { scheduler, random: () => 0 };
  const websiteInformer = informer(listWatch(client, websites, options), { linger: 0, scheduler });
  const deploymentInformer = informer(listWatch(client, deployments, options), { linger: 0, scheduler });
  const settingsInformer = informer(listWatch(client, configMaps, options), { linger: 0, scheduler });
  const deploymentClient = resourceClient(client, deployments, { fieldManager: 'operator', scheduler });
  const stop$ = new Subject<void>();
  const reconcile = ({ key, object, signal }: ReconcileRequest<Website>): Observable<unknown> => {
    const write$: Observable<unknown> = object
      ? deploymentClient.apply(deploymentOf(object), { signal })
      : deploymentClient.delete(key, { signal }).pipe(catchError(() => EMPTY));
    return write$.pipe(ignoreElements());
  };
  const controller$ = controller({
    for: { source: websiteInformer, through: filterUpdates(changed(({ spec }) => spec)) },
    owns: [deploymentInformer],
    watches: [
      {
        source: settingsInformer,
        map: ({ metadata }) =>
          websiteInformer
            .list()
            .filter(({ spec }) => spec.settings === metadata.name)
            .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
      },
    ],
    stop$,
    scheduler,
    reconcile,
  });
  return { controller$, deploymentClient, deploymentInformer, websiteInformer, stop$ };
}

function stage() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock, random: () => 0, resources: [websites] });
  const client = countedClient(server.client);
  const replicas = (): Readonly<Record<string, number | undefined>> =>
    Object.fromEntries(
      server.objects.list<Deployment>(deployments).map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
    );
  return { clock, server, client, replicas };
}

describe('controller with an API server, in virtual time', () => {
  it('creates in the cluster what the objects specify, and restores it', () => {
    const { clock, server, client, replicas } = stage();
    server.apply([website('a', { replicas: 2 }), website('b', { replicas: 1, settings: 'dark' })]);
    const { controller$, stop$ } = operator(client, clock);
    const { words, news } = notify(controller$);
    clock.advance(10);
    expect(replicas()).toEqual({ a: 2, b: 1 });

    server.apply(website('a', { replicas: 5 }));
    clock.advance(10);
    expect(replicas()).toEqual({ a: 5, b: 1 });

    news();
    server.remove(deployments, 'b', 'web');
    clock.advance(10);
    expect(replicas()).toEqual({ a: 5, b: 1 });
    expect(news()).toContain('web/b succeeded');

    server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'dark', namespace: 'web' }, data: {} });
    clock.advance(10);
    expect(news()).toEqual(['web/b started', 'web/b succeeded']);

    server.remove(websites, 'a', 'web');
    clock.advance(10);
    expect(replicas()).toEqual({ b: 1 });
    expect(news()).toContain('web/a succeeded');

    stop$.next();
    expect(words.at(-1)).toBe('complete');
    expect(client.open).toBe(0);
    server.stop();
    expect(clock.timers).toBe(0);
  });

  it('survives a restart of the server and an expired version, and misses nothing', () => {
    const { clock, server, client, replicas } = stage();
    server.apply(website('a', { replicas: 1 }));
    const { controller$ } = operator(client, clock);
    const { subscription, words } = notify(controller$);
    clock.advance(10);
    server.restart();
    server.apply([website('a', { replicas: 2 }), website('b', { replicas: 3 })]);
    server.remove(deployments, 'a', 'web');
    server.compact();
    clock.advance(120_000);
    expect(replicas()).toEqual({ a: 2, b: 3 });
    expect(words.filter((word) => word.startsWith('stop'))).toEqual([]);
    subscription.unsubscribe();
    server.stop();
  });

  it('reverts changes of other clients', () => {
    const { clock, server, client, replicas } = stage();
    server.apply(website('a', { replicas: 1 }));
    const { controller$, deploymentClient } = operator(client, clock);
    const { subscription, news } = notify(controller$);
    clock.advance(10);
    expect(news()).toContain('web/a succeeded');
    deploymentClient.patch('web/a', { spec: { replicas: 9 } }, { fieldManager: 'somebody' }).subscribe();
    server.apply(website('other', { replicas: 1 }));
    clock.advance(1_000);
    expect(replicas()).toEqual({ a: 1, other: 1 });
    subscription.unsubscribe();
    server.stop();
  });

  it('retries writes until the server accepts them', () => {
    const { clock, server, client, replicas } = stage();
    server.apply(website('a', { replicas: 1 }));
    server.faults.next('write', serverFaults.respond(503), { times: 3 });
    const { controller$ } = operator(client, clock);
    const { subscription, words } = notify(controller$);
    clock.advance(14);
    expect(replicas()).toEqual({});
    clock.advance(100);
    expect(replicas()).toEqual({ a: 1 });
    expect(words.filter((word) => word.startsWith('web/a failed'))).toHaveLength(3);
    subscription.unsubscribe();
    server.stop();
  });

  it('shares its informers with other controllers and other users: one list and one watch each', () => {
    const { clock, server, client } = stage();
    server.apply(website('a', { replicas: 1 }));
    const { controller$, websiteInformer, deploymentInformer } = operator(client, clock);
    const other$ = controller({
      for: deploymentInformer,
      watches: [{ source: websiteInformer, map: () => undefined }],
      scheduler: clock,
      reconcile: ({ key }) => of(key),
    });
    const first = notify(controller$);
    const second = notify(other$);
    clock.advance(10);
    expect(first.words).toContain('web/a succeeded');
    expect(second.words).toContain('web/a emitted web/a');
    expect(client.requests.filter((request) => request === 'GET /apis/apps/v1/deployments watch')).toHaveLength(1);
    expect(client.open).toBe(3);
    first.subscription.unsubscribe();
    expect(client.open).toBe(2);
    expect([websiteInformer.isRunning, deploymentInformer.isRunning]).toEqual([true, true]);
    second.subscription.unsubscribe();
    expect(client.open).toBe(0);
    server.stop();
    expect(clock.timers).toBe(0);
  });

  it('G8: leaves no request if it is unsubscribed from while it syncs', () => {
    const { clock, server, client } = stage();
    const { controller$ } = operator(client, clock);
    const { subscription } = notify(controller$);
    subscription.unsubscribe();
    expect(client.open).toBe(0);
    server.stop();
    expect(clock.timers).toBe(0);
  });

  it('works with an async reconcile function that awaits its writes', async () => {
    const { clock, server, client, replicas } = stage();
    server.apply([website('a', { replicas: 2 }), website('b', { replicas: 3 })]);
    const { deploymentClient, websiteInformer, deploymentInformer } = operator(client, clock);
    const stop$ = new Subject<void>();
    const done = new Set<string>();
    const finished = controller({
      for: websiteInformer,
      owns: [deploymentInformer],
      stop$,
      reconcile: async ({ object, signal }) => {
        if (!object) return;
        const { metadata } = await deploymentClient.apply(deploymentOf(object), { signal });
        return metadata.name;
      },
    }).forEach((event) => {
      if (event.type === 'succeeded') done.add(event.key);
      if (done.size === 2) stop$.next();
    });
    await finished;
    expect(replicas()).toEqual({ a: 2, b: 3 });
    expect(client.open).toBe(0);
    server.stop();
  });
});
