import { configMaps, type ConfigMap } from 'rx-informers';
import { aConfigMap } from 'rx-informers/testing';
import { aRequest, mayRead, rawViewer, receivedBy, scene, type RawViewer, type Scene } from './support/scene.js';

const config = (namespace: string, name: string, text = '', labels?: Record<string, string>): ConfigMap =>
  aConfigMap({ namespace, name, data: { text }, ...(labels && { labels }) });

function withObjects(made: Scene): Scene {
  made.server.apply([config('shop', 'a', 'mine'), config('shop', 'b', 'mine'), config('bank', 'a', 'forbidden')]);
  return made;
}

describe('an informer over a hub', () => {
  it('contains the objects of its namespace, and nothing else was sent', () => {
    const made = withObjects(scene());
    const page = made.page();
    const { informer, commits, states } = page.follow();
    made.clock.advance(1_000);
    expect(informer.keys()).toEqual(['shop/a', 'shop/b']);
    expect(commits).toEqual(['initial added shop/a added shop/b']);
    expect(states.at(-1)).toBe('watching');
    expect(receivedBy(page)).not.toMatch(/forbidden|bank/);
    made.server.apply(config('shop', 'c'));
    made.server.apply(config('bank', 'c', 'forbidden'));
    made.server.remove(configMaps, 'a', 'shop');
    expect(informer.keys()).toEqual(['shop/b', 'shop/c']);
    expect(receivedBy(page)).not.toMatch(/forbidden|bank/);
  });
});

describe('a hub', () => {
  it('has one list and one watch for all viewers', () => {
    const made = withObjects(scene());
    made.grant('bob', mayRead('bank'));
    const pages = [made.page(), made.page(), made.page({ token: 'bob' })];
    pages.forEach((page, index) => page.follow({ namespace: index === 2 ? 'bank' : 'shop' }));
    made.clock.advance(1_000);
    expect(made.hub.viewers).toBe(3);
    expect(made.hub.informers).toBe(1);
    expect(made.requests.filter((each) => each.endsWith('/configmaps'))).toHaveLength(1);
  });

  describe('with more than 16 new viewers that acknowledge nothing', () => {
    const hasObjects = ({ received }: RawViewer): boolean => received.some(({ type }) => type === 'part');

    function newViewers(made: Scene, count: number): readonly RawViewer[] {
      const viewers = Array.from({ length: count }, () => rawViewer(made));
      for (const viewer of viewers) {
        viewer.send({ type: 'hello', protocol: 2 });
        viewer.send({ type: 'subscribe', id: 1, request: aRequest });
      }
      return viewers;
    }

    it('lets the next one wait for ten seconds', () => {
      const made = withObjects(scene());
      const viewers = newViewers(made, 17);
      made.clock.advance(9_000);
      expect(viewers.map(hasObjects)).toEqual([...Array.from({ length: 16 }, () => true), false]);
      made.clock.advance(2_000);
      expect(viewers.every(hasObjects)).toBe(true);
    });

    it('serves the next one as soon as one has left, before or after its objects were sent', () => {
      const made = withObjects(scene());
      const viewers = newViewers(made, 19);
      made.clock.advance(1_000);
      viewers[3]?.send({ type: 'unsubscribe', id: 1 });
      expect(viewers.slice(16).map(hasObjects)).toEqual([true, false, false]);
      viewers[17]?.send({ type: 'unsubscribe', id: 1 });
      viewers[4]?.send('invalid');
      expect(viewers.slice(16).map(hasObjects)).toEqual([true, false, true]);
    });
  });
});
