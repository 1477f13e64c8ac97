import { configMaps, type ConfigMap } from 'rx-informers';
import { aConfigMap } from 'rx-informers/testing';
import { mayRead, receivedBy, scene, type Scene } from './support/scene.js';

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
});
