import { configMaps, informer, type KubeClient, type KubernetesObject, pods, resource } from 'rx-informers';
import {
  type AllowRule,
  aConfigMap,
  aPod,
  createInMemoryApiServer,
  randomFromSeed,
  virtualClock,
} from 'rx-informers/testing';
import { delay, NEVER } from 'rxjs';

const minute = 60_000;
const hour = 60 * minute;

/** A server in virtual time, and the client and the requests of a user who may only do `verbs`. */
function scene(...verbs: string[]) {
  const clock = virtualClock();
  const allow: AllowRule[] = verbs.length === 0 ? [] : [{ verbs }];
  const rights = { name: 'someone', allow };
  const server = createInMemoryApiServer({ scheduler: clock, random: randomFromSeed(1), users: { someone: rights } });
  const sent: { readonly at: number; readonly how: 'stream' | 'watch' | 'list' }[] = [];
  server.requests$.subscribe(({ query }) => {
    const how = query.has('sendInitialEvents') ? 'stream' : query.has('watch') ? 'watch' : 'list';
    sent.push({ at: clock.now(), how });
  });
  return { clock, server, client: server.clientFor('someone'), rights, sent };
}

const kinds = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    resource<KubernetesObject>({ group: '', version: 'v1', plural: `kind${index}s`, namespaced: true }),
  );

function forbidden(client: KubeClient, kind: ReturnType<typeof kinds>[number] = pods, options = {}) {
  const all = informer(client, kind, { onUnobservedError: () => undefined, ...options });
  all.connect();
  return all;
}

describe('listWatch without rights', () => {
  it.each(['stream', 'pages'] as const)('sends one request for each attempt, with initialList %s', (initialList) => {
    const { clock, client, sent } = scene();
    const all = forbidden(client, pods, { initialList });
    clock.advance(hour);
    expect(all.status).toMatchObject({ state: 'forbidden' });
    expect(sent.length).toBeGreaterThan(60);
    expect(sent.length).toBeLessThan(95);
    all.stop();
  });

  it('alternates between a stream and a list, because a user may have one right without the other', () => {
    const { clock, client, sent } = scene();
    const all = forbidden(client);
    clock.advance(minute);
    expect(sent.slice(0, 4).map(({ how }) => how)).toEqual(['stream', 'list', 'stream', 'list']);
    all.stop();
  });

  it('reads the objects of a user who may list but not watch, and requests no more streams', () => {
    const { clock, server, client, sent } = scene('list');
    server.apply(aPod({ name: 'a' }));
    const all = forbidden(client);
    clock.advance(3_000);
    expect(all.keys()).toEqual(['default/a']);
    clock.advance(hour);
    expect(sent.filter(({ how }) => how === 'stream')).toHaveLength(1);
    all.stop();
  });

  it('watches for a user who may watch but not list', () => {
    const { clock, server, client } = scene('watch');
    server.apply(aPod({ name: 'a' }));
    const all = forbidden(client);
    clock.advance(1_000);
    expect([all.keys(), all.status.state]).toEqual([['default/a'], 'watching']);
    all.stop();
  });

  it('finds a right that is granted later within one wait of a minute, while other kinds stay forbidden', () => {
    const { clock, server, client, rights } = scene();
    const all = kinds(50).map((kind) => forbidden(client, kind));
    const granted = forbidden(client, configMaps);
    server.apply(aConfigMap({ name: 'a' }));
    clock.advance(5 * minute);
    expect(granted.hasSynced).toBe(false);
    rights.allow.push({ verbs: ['list', 'watch'], resources: ['configmaps'] });
    clock.advance(75_000);
    expect([granted.keys(), granted.status.state]).toEqual([['default/a'], 'watching']);
    for (const each of [...all, granted]) each.stop();
  });
});

describe('the first lists of one client', () => {
  it('are at most ten a second if all of 137 kinds are forbidden', () => {
    const { clock, client, sent } = scene();
    const all = kinds(137).map((kind) => forbidden(client, kind));
    clock.advance(2 * minute);
    const busiest = sent.map(({ at }) => sent.filter((other) => other.at >= at && other.at < at + 1_000).length);
    expect(Math.max(...busiest)).toBe(10);
    for (const each of all) each.stop();
  });

  it.each([
    [0, 0],
    [5, 30],
    [200, 1_300],
  ])('sync 300 allowed informers soon, if a response takes %i ms', (latency, limit) => {
    const { clock, client } = scene('list', 'watch');
    const slow: KubeClient = { ...client, exchange: (request) => client.exchange(request).pipe(delay(latency, clock)) };
    const all = Array.from({ length: 300 }, (_, index) => forbidden(slow, pods, { namespace: `n${index}` }));
    clock.advance(limit);
    expect(all.filter(({ hasSynced }) => hasSynced)).toHaveLength(300);
    for (const each of all) each.stop();
  });

  it('do not wait for a server that does not answer', () => {
    const { clock, client } = scene('list', 'watch');
    const silent: KubeClient = {
      ...client,
      exchange: (request) => (request.path.includes('/n') ? NEVER : client.exchange(request)),
    };
    const all = Array.from({ length: 50 }, (_, index) => forbidden(silent, pods, { namespace: `n${index}` }));
    const answered = forbidden(silent);
    clock.advance(250);
    expect(answered.hasSynced).toBe(true);
    for (const each of [...all, answered]) each.stop();
  });

  it('leave the queue when their informers stop', () => {
    const { clock, client, sent } = scene();
    const all = kinds(30).map((kind) => forbidden(client, kind));
    for (const each of all) each.stop();
    clock.advance(minute);
    expect(sent).toHaveLength(10);
    expect(clock.timers).toBe(0);
  });
});
