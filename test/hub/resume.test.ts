import { configMaps, type ConfigMap } from 'rx-informers';
import { aConfigMap, serverFaults } from 'rx-informers/testing';
import { aRequest, rawViewer, receivedBy, scene, type Page, type Scene } from './support/scene.js';

const config = (namespace: string, name: string, text = '', labels?: Record<string, string>): ConfigMap =>
  aConfigMap({ namespace, name, data: { text }, ...(labels && { labels }) });

function withObjects(made: Scene): Scene {
  made.server.apply([config('shop', 'a', 'mine'), config('shop', 'b', 'mine'), config('bank', 'a', 'forbidden')]);
  return made;
}

const opened = (page: { readonly sockets: readonly { readonly hub: { readonly sent: readonly string[] } }[] }) =>
  page.sockets.flatMap(({ hub }) =>
    hub.sent
      .filter((frame) => frame.includes('"opened"'))
      .map((frame) => (JSON.parse(frame) as { isResumed: boolean }).isResumed),
  );

describe('a page that connects again', () => {
  it('receives only what has changed meanwhile, with deletions', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer, commits, problems, states } = page.follow();
    made.clock.advance(20_000);
    page.isOffline = true;
    page.socket.cut();
    made.clock.advance(1_000);
    expect(states.at(-1)).toBe('backing-off');
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
    made.server.remove(configMaps, 'a', 'shop');
    made.server.apply([config('shop', 'c'), config('bank', 'c', 'forbidden')]);
    page.isOffline = false;
    made.clock.advance(60_000);
    expect(opened(page)).toEqual([false, true]);
    expect(commits.slice(1)).toEqual(['watch deleted shop/a added shop/c']);
    expect(states.at(-1)).toBe('watching');
    expect(problems).toContain('lost');
    expect(receivedBy(page)).not.toMatch(/forbidden|bank/);
    made.server.apply(config('shop', 'c', 'changed'));
    expect(informer.get('shop/c')?.data).toEqual({ text: 'changed' });
  });

  it('receives nothing if nothing has changed in its scope', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { commits, states } = page.follow();
    made.clock.advance(20_000);
    page.socket.cut();
    made.server.apply(config('bank', 'b'));
    made.clock.advance(60_000);
    expect(opened(page)).toEqual([false, true]);
    expect(commits).toHaveLength(1);
    expect(states.at(-1)).toBe('watching');
  });

  it('loses the objects whose rights were withdrawn meanwhile', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer, commits, problems } = page.follow();
    made.clock.advance(20_000);
    page.socket.cut();
    made.grant('ada', []);
    made.server.apply(config('shop', 'c', 'withdrawn'));
    made.clock.advance(60_000);
    expect(informer.list()).toEqual([]);
    expect(commits.at(-1)).toBe('relist deleted shop/a deleted shop/b');
    expect(problems).toContain('forbidden');
    expect(receivedBy(page)).not.toContain('withdrawn');
  });

  it.each<[string, (made: Scene, page: Page) => void]>([
    ['the hub no longer has the changes', (_, page) => page.socket.cut()],
    ['the hub was started again', (made) => made.restartHub()],
  ])('receives, as a relist, only the objects that differ from its own, if %s', (_, interrupt) => {
    const made = withObjects(scene({ linger: 0 }));
    const page = made.page();
    const { informer, commits } = page.follow();
    made.clock.advance(20_000);
    interrupt(made, page);
    made.server.remove(configMaps, 'a', 'shop');
    made.server.apply([config('shop', 'c'), config('bank', 'c', 'forbidden')]);
    made.clock.advance(60_000);
    expect(opened(page)).toEqual([false, true]);
    expect(commits.at(-1)).toBe('relist deleted shop/a added shop/c');
    expect(informer.keys()).toEqual(['shop/b', 'shop/c']);
    expect(receivedBy(page).split('"text":"mine"')).toHaveLength(3);
    expect(receivedBy(page)).not.toMatch(/forbidden|bank/);
    made.server.apply(config('shop', 'b', 'changed'));
    expect(informer.get('shop/b')?.data).toEqual({ text: 'changed' });
  });

  it('receives the objects again for which its transform has failed', () => {
    const made = withObjects(scene());
    const page = made.page();
    let isFailing = true;
    const transform = (object: ConfigMap): ConfigMap => {
      if (isFailing) throw new Error('not yet');
      return object;
    };
    const { informer, problems } = page.follow({ namespace: 'shop', transform });
    made.clock.advance(20_000);
    expect(informer.keys()).toEqual([]);
    isFailing = false;
    made.restartHub();
    made.server.remove(configMaps, 'a', 'shop');
    made.clock.advance(60_000);
    expect(informer.keys()).toEqual(['shop/b']);
    expect(problems).toEqual(['not yet', 'not yet', 'lost']);
  });

  it('receives everything if it has many more objects than the cluster', () => {
    const made = withObjects(scene());
    const viewer = rawViewer(made);
    const has = (from: number, isLast: boolean): object => ({
      type: 'has',
      id: 1,
      objects: Array.from({ length: 700 }, (_, index) => [`shop/x${from + index}`, '1']),
      isLast,
    });
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({
      type: 'subscribe',
      id: 1,
      request: { ...aRequest, resume: { epoch: 'other', resourceVersion: '1' } },
    });
    made.clock.advance(1_000);
    expect(viewer.received.at(-1)).toEqual({ type: 'compare', id: 1 });
    viewer.send(has(0, false));
    viewer.send(has(700, true));
    expect(viewer.received.slice(2)).toMatchObject([
      { type: 'opened', isResumed: false },
      { type: 'part', total: 2, end: { reason: 'initial' } },
    ]);
  });

  it('is refused if it does not send the versions of its objects within 30 seconds', () => {
    const made = withObjects(scene());
    const viewer = rawViewer(made);
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({
      type: 'subscribe',
      id: 1,
      request: { ...aRequest, resume: { epoch: 'other', resourceVersion: '1' } },
    });
    made.clock.advance(1_000);
    viewer.send({ type: 'has', id: 1, objects: [['shop/a', '1']], isLast: false });
    made.clock.advance(31_000);
    expect(viewer.received.filter(({ type }) => type === 'ended')).toMatchObject([{ id: 1, reason: 'slow' }]);
    expect(made.hub.subscriptions).toBe(0);
  });

  it('learns only that an object is gone if it names objects outside of its scope', () => {
    const made = withObjects(scene());
    const viewer = rawViewer(made);
    const { resourceVersion = '' } = made.server.objects.get<ConfigMap>(configMaps, 'a', 'bank')?.metadata ?? {};
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({
      type: 'subscribe',
      id: 1,
      request: { ...aRequest, resume: { epoch: 'other', resourceVersion: '1' } },
    });
    made.clock.advance(1_000);
    const objects = [
      ['bank/a', resourceVersion],
      ['bank/never', '1'],
      ['shop/a', '1'],
      ['shop/b', '1'],
    ];
    viewer.send({ type: 'has', id: 1, objects, isLast: true });
    const [, text = ''] = viewer.socket.sent.at(-1)!.split('\n');
    expect((JSON.parse(text) as { deleted?: string }[]).flatMap(({ deleted = [] }) => deleted)).toEqual([
      'bank/a',
      'bank/never',
    ]);
    expect(text).not.toContain('forbidden');
  });

  it('receives all objects after a relist of the hub', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(20_000);
    made.server.faults.next('watch', serverFaults.refuse());
    made.server.remove(configMaps, 'a', 'shop');
    made.server.restart({ compact: true });
    made.clock.advance(20_000);
    page.socket.cut();
    made.server.apply(config('shop', 'c'));
    made.clock.advance(60_000);
    expect(informer.keys()).toEqual(['shop/b', 'shop/c']);
  });

  it('does not continue a change set of which it has received only a part', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(20_000);
    made.server.apply(Array.from({ length: 20 }, (_, index) => config('shop', `big-${index}`, 'x'.repeat(60_000))));
    page.socket.hold();
    made.server.remove(configMaps, 'big-3', 'shop');
    made.server.apply(Array.from({ length: 9 }, (_, index) => config('shop', `big-${index}`, 'y'.repeat(60_000))));
    page.socket.cut();
    made.clock.advance(60_000);
    expect(informer.list()).toEqual(made.server.objects.list(configMaps, 'shop'));
  });

  it('is never shown an older version by a hub that is behind', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer } = page.follow();
    made.clock.advance(20_000);
    const { resourceVersion } = informer.snapshot;
    const ahead = String(Number(resourceVersion) + 3);
    const viewer = rawViewer(made);
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({
      type: 'subscribe',
      id: 1,
      request: { ...aRequest, resume: { epoch: 'other', resourceVersion: ahead } },
    });
    made.clock.advance(1_000);
    expect(viewer.received.map(({ type }) => type)).toEqual(['welcome']);
    for (const name of ['x', 'y', 'z']) made.server.apply(config('shop', name));
    expect(viewer.received.map(({ type }) => type)).toEqual(['welcome', 'compare']);
    viewer.send({
      type: 'subscribe',
      id: 2,
      request: { ...aRequest, resume: { epoch: 'other', resourceVersion: '999999' } },
    });
    made.clock.advance(31_000);
    expect(viewer.received.at(-1)).toMatchObject({ type: 'ended', id: 2, reason: 'behind' });
  });
});

describe('an object that leaves the scope by a change', () => {
  const selected = { namespace: 'shop', labelSelector: 'app=web' };

  it('is deleted, and its new content is not sent', () => {
    const made = scene();
    made.server.apply([config('shop', 'a', 'seen', { app: 'web' }), config('shop', 'b', 'other', { app: 'db' })]);
    const page = made.page();
    const { informer, commits } = page.follow(selected);
    made.clock.advance(1_000);
    made.server.apply(config('shop', 'a', 'forbidden', { app: 'db' }));
    expect(informer.list()).toEqual([]);
    made.server.apply(config('shop', 'a', 'forbidden too', { app: 'cache' }));
    made.server.remove(configMaps, 'b', 'shop');
    made.server.apply(config('shop', 'a', 'back', { app: 'web' }));
    expect(commits).toEqual(['initial added shop/a', 'watch deleted shop/a', 'watch added shop/a']);
    expect(informer.get('shop/a')?.data).toEqual({ text: 'back' });
    expect(receivedBy(page)).not.toMatch(/forbidden|other/);
  });

  it('is deleted without its last content if it is deleted with other labels', () => {
    const made = scene();
    made.server.apply(config('shop', 'a', 'seen', { app: 'web' }));
    const page = made.page();
    const { informer } = page.follow(selected);
    made.clock.advance(1_000);
    page.socket.hold();
    made.server.apply(config('shop', 'a', 'forbidden', { app: 'db' }));
    made.server.remove(configMaps, 'a', 'shop');
    page.socket.release();
    expect(informer.list()).toEqual([]);
    expect(receivedBy(page)).not.toContain('forbidden');
  });
});

describe('a viewer', () => {
  it('receives no frame for changes outside of its scope, and bookmarks by a clock', () => {
    const made = withObjects(scene());
    const viewer = rawViewer(made);
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({ type: 'subscribe', id: 1, request: aRequest });
    made.clock.advance(1_000);
    viewer.send({
      type: 'taken',
      id: 1,
      amount: viewer.socket.sent.find((each) => each.includes('"part"'))!.split('\n')[1]!.length,
    });
    const before = viewer.received.length;
    for (let step = 0; step < 90; step++) {
      if (step < 40) made.server.apply(config('bank', `b${step}`, 'forbidden'));
      made.clock.advance(1_000);
    }
    const types = viewer.received.slice(before).map(({ type }) => type);
    expect(types.filter((type) => type !== 'ping')).toEqual(['heard', 'heard', 'heard']);
  });

  it('receives the same number of frames, no matter how many objects others have', () => {
    const frames = [0, 3_000].map((count) => {
      const made = withObjects(scene());
      made.server.apply(Array.from({ length: count }, (_, index) => config('bank', `b${index}`)));
      const viewer = rawViewer(made);
      viewer.send({ type: 'hello', protocol: 2 });
      viewer.send({ type: 'subscribe', id: 1, request: aRequest });
      made.clock.advance(1_000);
      return viewer.socket.sent.map((frame) =>
        frame.replaceAll(/"(epoch|since|resourceVersion|uid|creationTimestamp)":("[^"]*"|\d+)|\\"(since)\\":\d+/g, ''),
      );
    });
    expect(frames[0]).toEqual(frames[1]);
  });

  it('may select by the fields that the hub knows, and by no others', () => {
    const made = withObjects(scene());
    const page = made.page();
    const byName = page.follow({ namespace: 'shop', fieldSelector: 'metadata.name!=a' });
    const other = page.follow({ namespace: 'shop', fieldSelector: 'data.text=x' });
    made.clock.advance(1_000);
    expect(byName.informer.keys()).toEqual(['shop/b']);
    expect(other.problems).toEqual(['invalid']);
    expect(made.requests.filter((each) => each.includes('/configmaps'))).toHaveLength(1);
  });
});
