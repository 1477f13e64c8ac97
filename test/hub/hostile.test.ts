import type { ConfigMap } from 'rx-informers';
import { aConfigMap } from 'rx-informers/testing';
import { aRequest, rawViewer, receivedBy, scene, type RawViewer, type Scene } from './support/scene.js';

const config = (name: string, text = ''): ConfigMap => aConfigMap({ namespace: 'shop', name, data: { text } });

function joined(made: Scene): RawViewer {
  const viewer = rawViewer(made);
  viewer.send({ type: 'hello', protocol: 2 });
  return viewer;
}

const subscribe = (change: object, id: unknown = 1): object => ({
  type: 'subscribe',
  id,
  request: { ...aRequest, ...change },
});

describe('a hub closes the connection of a viewer that sends', () => {
  it.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['binary data', new Uint8Array([1, 2])],
    ['a huge frame', JSON.stringify({ type: 'alive', padding: 'x'.repeat(70_000) })],
    ['deep JSON', '['.repeat(60_000)],
    ['null', 'null'],
    ['an array', '[]'],
    ['an unknown type', { type: 'list' }],
    ['a second hello', { type: 'hello', protocol: 2 }],
    ['an id that is no number', subscribe({}, 'x')],
    ['a negative id', subscribe({}, -1)],
    ['a broken id', subscribe({}, 0.5)],
    ['no request', { type: 'subscribe', id: 1 }],
    ['a resource that is no object', subscribe({ resource: 'pods' })],
    ['a plural that is no text', subscribe({ resource: { group: '', version: 'v1', plural: {} } })],
    ['namespaces that are no list', subscribe({ namespaces: 'shop' })],
    ['no namespaces', subscribe({ namespaces: [] })],
    ['a namespace that is a path', subscribe({ namespaces: ['../secrets'] })],
    ['all namespaces besides another', subscribe({ namespaces: ['', 'shop'] })],
    ['too many namespaces', subscribe({ namespaces: Array.from({ length: 101 }, (_, index) => `n${index}`) })],
    ['a selector that is no text', subscribe({ labelSelector: { $regex: '.*' } })],
    ['a long selector', subscribe({ labelSelector: 'a'.repeat(5_000) })],
    ['a position that is no object', subscribe({ resume: 'x' })],
    ['a window without limit', subscribe({ window: { sortBy: [], offset: 0 } })],
    ['a window of too many rows', subscribe({ window: { sortBy: [], offset: 0, limit: 5_000 } })],
    ['a sort field that is a function', subscribe({ window: { sortBy: ['x => x'], offset: 0, limit: 1 } })],
    ['an acknowledgement of nothing that was sent', { type: 'taken', id: 7, amount: -1 }],
    ['versions that are no list', { type: 'has', id: 7, objects: {}, isLast: true }],
    ['versions that are no text', { type: 'has', id: 7, objects: [['shop/a', 1]], isLast: true }],
    ['versions with a long key', { type: 'has', id: 7, objects: [['x'.repeat(500), '1']], isLast: true }],
    ['versions without a key', { type: 'has', id: 7, objects: [['1']], isLast: true }],
  ])('%s', (_, frame) => {
    const made = scene();
    const viewer = joined(made);
    viewer.send(frame);
    made.clock.advance(1_000);
    expect(viewer.received.at(-1)).toMatchObject({ type: 'closed', reason: 'protocol' });
    expect(viewer.socket.isClosed).toBe(true);
    expect(made.hub.viewers).toBe(0);
    expect(made.requests).toEqual([]);
  });

  it('anything before hello, or another protocol', () => {
    for (const frame of [{ type: 'alive' }, subscribe({}), { type: 'hello', protocol: 99 }]) {
      const made = scene();
      const viewer = rawViewer(made);
      viewer.send(frame);
      expect(viewer.socket.isClosed).toBe(true);
    }
  });

  it('the id of an open subscription again', () => {
    const made = scene();
    const viewer = joined(made);
    viewer.send(subscribe({}));
    viewer.send(subscribe({}));
    expect(viewer.socket.isClosed).toBe(true);
    expect(made.hub.subscriptions).toBe(0);
  });

  it('versions that the hub has not requested', () => {
    const made = scene();
    const viewer = joined(made);
    viewer.send(subscribe({}));
    made.clock.advance(1_000);
    viewer.send({ type: 'has', id: 1, objects: [], isLast: true });
    expect(viewer.socket.isClosed).toBe(true);
  });

  it('an acknowledgement of more than it was sent', () => {
    const made = scene();
    made.server.apply(config('a'));
    const viewer = joined(made);
    viewer.send(subscribe({}));
    made.clock.advance(1_000);
    viewer.send({ type: 'taken', id: 1, amount: 1_000_000 });
    expect(viewer.socket.isClosed).toBe(true);
  });

  it('a flood of frames', () => {
    const made = scene();
    const viewer = joined(made);
    let count = 0;
    for (; !viewer.socket.isClosed && count < 10_000; count++) viewer.send({ type: 'alive' });
    expect(count).toBeLessThan(2_500);
    made.clock.advance(60_000);
    expect(made.clock.timers).toBe(0);
  });

  it('a flood of subscriptions', () => {
    const made = scene();
    const viewer = joined(made);
    let id = 0;
    for (; !viewer.socket.isClosed && id < 10_000; id++) {
      viewer.send(subscribe({ namespaces: [`n${id}`] }, id));
      viewer.send({ type: 'unsubscribe', id });
    }
    expect(id).toBeLessThan(300);
    made.clock.advance(1_000);
    expect(made.hub.rights).toBe(0);
  });
});

describe('a hub ignores', () => {
  it('messages about subscriptions that it does not have', () => {
    const made = scene();
    const viewer = joined(made);
    viewer.send({ type: 'unsubscribe', id: 5 });
    viewer.send({ type: 'taken', id: 5, amount: 1 });
    viewer.send({ type: 'has', id: 5, objects: [], isLast: true });
    viewer.send({ type: 'window', id: 5, window: { sortBy: [], offset: 0, limit: 1 } });
    expect(viewer.socket.isClosed).toBe(false);
  });

  it('fields that the protocol does not have', () => {
    const made = scene();
    const viewer = joined(made);
    viewer.send(subscribe({ __proto__: { x: 1 }, fieldSelectors: [], metadataOnly: true }));
    made.clock.advance(1_000);
    expect(viewer.received.map(({ type }) => type)).toEqual(['welcome', 'opened', 'part']);
  });
});

describe('a hub refuses', () => {
  it.each([
    ['a selector that is invalid', { labelSelector: 'a in' }],
    ['a field that it does not know', { fieldSelector: 'constructor=x' }],
    ['a field selector with an escape', { fieldSelector: 'metadata.name=a\\,b' }],
  ])('%s, and keeps the connection', (_, change) => {
    const made = scene();
    const viewer = joined(made);
    viewer.send(subscribe(change));
    expect(viewer.received.at(-1)).toMatchObject({ type: 'ended', id: 1, reason: 'invalid' });
    expect(viewer.socket.isClosed).toBe(false);
    expect(made.requests).toEqual([]);
  });

  it('more subscriptions than the limit', () => {
    const made = scene({ maxSubscriptions: 3 });
    const viewer = joined(made);
    for (let id = 0; id < 5; id++) viewer.send(subscribe({}, id));
    expect(viewer.received.flatMap(({ reason = [] }) => reason)).toEqual(['invalid', 'invalid']);
    expect(made.hub.subscriptions).toBe(3);
  });
});

describe('a slow viewer', () => {
  it('receives the latest state once it reads on, and not each change', () => {
    const made = scene();
    made.server.apply(config('a', '0'));
    const page = made.page();
    const { informer, commits } = page.follow();
    made.clock.advance(1_000);
    page.socket.hold();
    for (let step = 1; step <= 2_000; step++) made.server.apply(config('a', String(step)));
    page.socket.release();
    expect(informer.get('shop/a')?.data).toEqual({ text: '2000' });
    expect(commits.length).toBeLessThan(5);
  });

  it('is dropped with a reason if it acknowledges nothing', () => {
    const made = scene({ slowAfter: 20_000 });
    made.server.apply(config('a'));
    const viewer = joined(made);
    viewer.send(subscribe({}));
    made.clock.advance(15_000);
    expect(viewer.socket.isClosed).toBe(false);
    made.clock.advance(15_000);
    expect(viewer.received.at(-1)).toMatchObject({ type: 'closed', reason: 'slow' });
    expect(made.hub.viewers).toBe(0);
  });

  it('is dropped with a reason if its socket takes no data', () => {
    const made = scene({ maxBuffered: 1_000 });
    const viewer = joined(made);
    viewer.socket.bufferedAmount = 2_000;
    viewer.send(subscribe({}));
    made.clock.advance(1_000);
    expect(viewer.received.at(-1)).toMatchObject({ type: 'closed', reason: 'slow' });
  });

  it('delays the first objects of others by at most ten seconds for each sixteen slow viewers', () => {
    const made = scene();
    made.server.apply(config('a'));
    const viewers = Array.from({ length: 40 }, () => joined(made));
    for (const viewer of viewers) viewer.send(subscribe({}));
    const { informer } = made.page().follow();
    const served = (): number => viewers.filter(({ received }) => received.some(({ type }) => type === 'part')).length;
    made.clock.advance(5_000);
    expect([served(), informer.hasSynced]).toEqual([16, false]);
    made.clock.advance(10_000);
    expect([served(), informer.hasSynced]).toEqual([32, false]);
    made.clock.advance(10_000);
    expect([served(), informer.hasSynced]).toEqual([40, true]);
  });

  it('is dropped if it is silent, and its page connects again', () => {
    const made = scene();
    made.server.apply(config('a'));
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(1_000);
    page.socket.hold();
    made.clock.advance(60_000);
    expect(page.sockets.length).toBeGreaterThan(1);
    made.server.apply(config('b'));
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
    expect(made.hub.viewers).toBe(1);
  });
});

describe('after everything is closed, a hub', () => {
  it('has no viewers, rights, informers and timers', () => {
    const made = scene();
    made.server.apply(config('a'));
    const pages = [made.page(), made.page({ user: 'ada' }), made.page({ token: 'unknown' })];
    const followed = pages.map((page) => page.follow());
    made.clock.advance(10_000);
    expect([made.hub.viewers, made.hub.subscriptions, made.hub.rights, made.hub.informers]).toEqual([3, 2, 2, 1]);
    for (const { informer } of followed) informer.stop();
    made.clock.advance(70_000);
    expect([made.hub.viewers, made.hub.subscriptions, made.hub.rights, made.hub.informers]).toEqual([0, 0, 0, 0]);
    expect(made.clock.timers).toBe(0);
    expect(pages.map(({ connection }) => connection.state)).toEqual(pages.map(() => ({ state: 'idle' })));
  });

  it('has none after stop either, while pages wait for it', () => {
    const made = scene();
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(10_000);
    page.isOffline = true;
    made.hub.stop();
    expect([made.hub.viewers, made.hub.subscriptions, made.hub.rights, made.hub.informers]).toEqual([0, 0, 0, 0]);
    informer.stop();
    expect(made.clock.timers).toBe(0);
    expect(receivedBy(page)).not.toContain('hub"');
  });
});
