import { configMaps, inNamespaces, informer, type KubeClient, pods } from 'rx-informers';
import { namespaceRights$, readableNamespaces, reviewAccess, reviewRights } from 'rx-informers/requests';
import { aPod, createInMemoryApiServer, serverFaults, virtualClock } from 'rx-informers/testing';
import { of, throwError } from 'rxjs';

const read = ['list', 'watch'];

/** A server with 200 namespaces, each with one pod, and a user that may read some of them. */
function setup(readable: readonly string[], { names = 200 } = {}) {
  const scheduler = virtualClock();
  const allowed = (namespaces: readonly string[]) => ({
    name: 'viewer',
    allow: [{ verbs: read, resources: ['pods'], groups: [''], namespaces: [...namespaces] }],
  });
  const server = createInMemoryApiServer({ scheduler, users: { viewer: allowed(readable) } });
  const all = Array.from({ length: names }, (_, at) => `ns-${at}`);
  for (const namespace of all) server.apply(aPod({ name: 'web', namespace }));
  const requests: { readonly path: string; readonly at: number }[] = [];
  server.requests$.subscribe(({ path }) => requests.push({ path, at: scheduler.now() }));
  const client: KubeClient = { ...server.clientFor('viewer'), namespace: 'ns-0' };
  return {
    server,
    scheduler,
    all,
    requests,
    client,
    allow: (...names: string[]) => server.grant('viewer', allowed(names)),
  };
}

describe('readableNamespaces', () => {
  it('lets an informer read exactly the objects of the namespaces that the user may read, without a 403', () => {
    const { scheduler, all, requests, client, allow } = setup(['ns-3', 'ns-77', 'ns-199']);
    const statuses: number[] = [];
    const rights$ = namespaceRights$(client, { candidates: all });
    const cache = informer(client, pods, { namespace: inNamespaces(readableNamespaces(client, pods, rights$)) });
    cache.errors$.subscribe((error) => statuses.push((error as { statusCode?: number }).statusCode ?? 0));
    const found: (readonly string[])[] = [];
    const subscription = cache
      .list$()
      .subscribe((each) => found.push(each.map(({ metadata }) => metadata.namespace ?? '')));
    const seen = (): readonly string[] => [...(found.at(-1) ?? [])].sort();

    scheduler.advance(60_000);
    expect(seen()).toEqual(['ns-199', 'ns-3', 'ns-77']);

    allow('ns-3', 'ns-199', 'ns-100');
    scheduler.advance(60_000);
    expect(seen()).toEqual(['ns-100', 'ns-199', 'ns-3']);
    expect(statuses).toEqual([]);

    const reviews = requests.filter(({ path }) => path.includes('selfsubject'));
    for (const { at } of reviews)
      expect(reviews.filter((other) => other.at >= at && other.at < at + 1_000).length).toBeLessThanOrEqual(10);
    subscription.unsubscribe();
    scheduler.advance(60_000);
    expect(scheduler.timers).toBe(0);
  });

  it.each([['ns-1'], ['']])(
    'reads %p: all namespaces with one watch if the user may, otherwise its own',
    (namespace) => {
      const { server, scheduler, client } = setup([], { names: 3 });
      if (namespace === '') server.grant('viewer', { name: 'viewer', allow: [{ verbs: read, resources: ['pods'] }] });
      else
        server.grant('viewer', { name: 'viewer', allow: [{ verbs: read, resources: ['pods'], namespaces: ['ns-1'] }] });
      const found: (readonly string[])[] = [];
      readableNamespaces(client, pods, namespaceRights$(client, { candidates: ['ns-1', 'ns-2'] })).subscribe((names) =>
        found.push(names),
      );
      scheduler.advance(60_000);
      expect(found).toEqual([[namespace]]);
    },
  );

  it('reads all namespaces with an informer if the user may', () => {
    const { server, scheduler, client } = setup([], { names: 3 });
    server.grant('viewer', { name: 'viewer', allow: [{ verbs: read, resources: ['pods'] }] });
    const cache = informer(client, pods, { namespace: inNamespaces(readableNamespaces(client, pods)) });
    const subscription = cache.list$().subscribe();
    scheduler.advance(5_000);
    expect(cache.keys().length).toBe(3);
    expect(cache.get('ns-1/web')?.metadata.namespace).toBe('ns-1');
    subscription.unsubscribe();
  });

  it('reviews the namespace of the context, and emits an empty set if the user may read none', () => {
    const { scheduler, client, allow } = setup([], { names: 1 });
    const found: (readonly string[])[] = [];
    readableNamespaces(client, pods).subscribe((names) => found.push(names));
    scheduler.advance(5_000);
    expect(found).toEqual([[]]);
    allow('ns-0');
    scheduler.advance(60_000);
    expect(found).toEqual([[], ['ns-0']]);
  });

  it('reviews all namespaces if the user may list them', () => {
    const { server, scheduler, client } = setup([], { names: 5 });
    server.grant('viewer', {
      name: 'viewer',
      allow: [
        { verbs: ['list'], resources: ['namespaces'] },
        { verbs: read, resources: ['pods'], namespaces: ['ns-2', 'ns-4'] },
      ],
    });
    const found: (readonly string[])[] = [];
    readableNamespaces(client, pods).subscribe((names) => found.push(names));
    scheduler.advance(10_000);
    expect(found.at(-1)).toEqual(['ns-2', 'ns-4']);
  });

  it('costs one pass for several kinds that share the rights', () => {
    const { scheduler, all, requests, client } = setup(['ns-3'], { names: 10 });
    const rights$ = namespaceRights$(client, { candidates: all, interval: 600_000 });
    readableNamespaces(client, pods, rights$).subscribe();
    readableNamespaces(client, configMaps, rights$).subscribe();
    scheduler.advance(60_000);
    expect(requests.filter(({ path }) => path.includes('selfsubjectrulesreviews')).length).toBe(10);
  });

  it('asks for each namespace if the API server cannot list all rules, and keeps the answers in an outage', () => {
    const { server, scheduler, client, all } = setup(['ns-1'], { names: 3 });
    const incomplete: KubeClient = {
      ...client,
      exchange: (request) =>
        request.path.endsWith('selfsubjectrulesreviews')
          ? of({ type: 'bytes', bytes: new TextEncoder().encode('{"status":{"resourceRules":[],"incomplete":true}}') })
          : client.exchange(request),
    };
    const found: (readonly string[])[] = [];
    readableNamespaces(incomplete, pods, namespaceRights$(incomplete, { candidates: all })).subscribe((names) =>
      found.push(names),
    );
    scheduler.advance(10_000);
    server.faults.always('any', serverFaults.respond(503));
    scheduler.advance(120_000);
    expect(found).toEqual([['ns-1']]);
  });
});

describe('reviewRights', () => {
  it('does not count rules for single names, and is unknown without an answer', () => {
    const rules = (status: object): KubeClient => ({
      exchange: () => of({ type: 'bytes', bytes: new TextEncoder().encode(JSON.stringify({ status })) }),
    });
    const rightIn = (client: KubeClient): string => {
      let right = '';
      reviewRights(client, 'shop').subscribe((rights) => (right = rights.right('list', pods)));
      return right;
    };
    const rule = { verbs: ['*'], apiGroups: [''], resources: ['pods'] };
    const nodeAuthorizer = 'node authorizer does not support user rule resolution';
    expect(rightIn(rules({ resourceRules: [rule] }))).toBe('allowed');
    expect(rightIn(rules({ resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }))).toBe('allowed');
    expect(rightIn(rules({ resourceRules: [{ ...rule, resourceNames: ['web'] }] }))).toBe('denied');
    expect(rightIn(rules({ resourceRules: [], incomplete: true }))).toBe('unknown');
    expect(rightIn(rules({ resourceRules: [], incomplete: true, evaluationError: nodeAuthorizer }))).toBe('denied');
    expect(rightIn({ exchange: () => throwError(() => new Error('down')) })).toBe('unknown');
  });
});

describe('reviewAccess', () => {
  it.each([
    ['ns-1', 'allowed'],
    ['ns-2', 'denied'],
  ])('says for %s: %s', (namespace, right) => {
    const { client } = setup(['ns-1'], { names: 1 });
    const rights: string[] = [];
    reviewAccess(client, { verb: 'list', resource: pods, namespace }).subscribe((each) => rights.push(each));
    expect(rights).toEqual([right]);
  });
});
