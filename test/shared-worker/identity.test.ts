import { configMaps, informer } from 'rx-informers';
import { serveInformers, sharedListWatch, type SharedListWatchOptions } from 'rx-informers/shared-worker';
import { aConfigMap, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { testChannel } from './support/ports.js';
import { loadListWatch, scene } from './support/scene.js';

/**
 * A browser with one cookie. The API server returns to each user only the objects of the user's
 * namespace. The worker and the tabs send their requests with the cookie.
 */
function browserOf(cookie: string) {
  const clock = virtualClock({ now: 1_000_000 });
  const server = createInMemoryApiServer({ scheduler: clock });
  server.apply(['alice', 'bob'].map((namespace) => aConfigMap({ name: `of-${namespace}`, namespace })));
  let user = cookie;
  const requests: string[] = [];
  const client = {
    scheduler: clock,
    exchange: (request: Parameters<typeof server.client.exchange>[0]) => {
      requests.push(`${user} ${request.query?.['watch'] === true ? 'watch' : 'list'}`);
      return server.client.exchange({ ...request, path: `/api/v1/namespaces/${user}/configmaps` });
    },
  };
  const worker = serveInformers(client, { initialList: 'pages', listConsistency: 'any' });
  return {
    clock,
    requests,
    signIn: (name: string) => {
      user = name;
    },
    worker,
    tab: (identity: string) => {
      const shared = sharedListWatch(
        () => {
          const channel = testChannel();
          worker.accept(channel.worker);
          return { port: channel.page };
        },
        { scheduler: clock, identity },
      );
      const objects = informer(shared.listWatch(client, configMaps), { scheduler: clock });
      const received = new Set<string>();
      objects.changes$.subscribe(({ changes }) => {
        for (const { key } of changes) received.add(key);
      });
      clock.advance(100);
      return { objects, received, shared };
    },
  };
}

beforeAll(loadListWatch);

describe('the user of a shared worker', () => {
  it.each([undefined, {}, { version: '1' }])(
    'must be named by each page, because a page without an identity would read the objects of any user: %j',
    (options) => {
      const connect = () => ({ port: testChannel().page });
      expect(() => sharedListWatch(connect, options as unknown as SharedListWatchOptions)).toThrow(
        "identity must be a string that differs for each user who signs in, or '' if the page has no users, not undefined",
      );
    },
  );

  it('receives no object of the user who signed out a moment ago', () => {
    const browser = browserOf('alice');
    const alice = browser.tab('session 1');
    expect([...alice.received]).toEqual(['alice/of-alice']);
    alice.objects.stop();
    browser.signIn('bob');
    const bob = browser.tab('session 2');
    expect([...bob.received]).toEqual(['bob/of-bob']);
    expect(bob.shared.connection.state).toBe('shared');
    expect(browser.requests.filter((request) => request.startsWith('bob'))).toEqual(['bob list', 'bob watch']);
    bob.objects.stop();
  });

  it('receives no object of the earlier user while a tab of that user is open; the worker no longer serves that tab', () => {
    const browser = browserOf('alice');
    const alice = browser.tab('session 1');
    browser.signIn('bob');
    const bob = browser.tab('session 2');
    expect([...bob.received]).toEqual(['bob/of-bob']);
    expect(alice.shared.connection).toMatchObject({
      state: 'own',
      cause: { problem: 'other-identity', expected: true },
    });
    expect([browser.worker.pages, browser.worker.informers]).toEqual([1, 1]);
    alice.objects.stop();
    bob.objects.stop();
  });

  it('shares the objects with the other tabs of the same session', () => {
    const browser = browserOf('alice');
    const tabs = [browser.tab('session 1'), browser.tab('session 1')];
    expect(tabs.map(({ received }) => [...received])).toEqual([['alice/of-alice'], ['alice/of-alice']]);
    expect(browser.requests).toEqual(['alice list', 'alice watch']);
    for (const { objects } of tabs) objects.stop();
  });

  it('is refused by a worker with the credentials of another identity, as by a worker of another build', () => {
    const made = scene({ identity: 'alice' });
    made.server.apply(aConfigMap({ name: 'a' }));
    const bob = made.page({ identity: 'bob' });
    const alice = made.page({ identity: 'alice' });
    const followed = [bob.follow(), alice.follow()];
    made.clock.advance(100);
    expect(bob.shared.connection).toMatchObject({ state: 'own', cause: { problem: 'other-identity' } });
    expect(alice.shared.connection.state).toBe('shared');
    expect(made.worker.pages).toBe(1);
    for (const { stop } of followed) stop();
  });
});
