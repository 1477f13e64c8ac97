import { aRequest, mayRead, rawViewer, scene, touchRbac } from './support/scene.js';

describe('reviews of a hub', () => {
  it('are at most 50 in a second for 1,000 identities', () => {
    const made = scene();
    const times: number[] = [];
    made.server.requests$.subscribe(({ path }) => {
      if (path.includes('reviews')) times.push(made.clock.now());
    });
    for (let index = 0; index < 1_000; index++) {
      made.grant(`user-${index}`, mayRead('shop'));
      const viewer = rawViewer(made, { token: `user-${index}` });
      viewer.send({ type: 'hello', protocol: 2 });
      viewer.send({ type: 'subscribe', id: 1, request: aRequest });
    }
    made.clock.advance(30_000);
    touchRbac(made);
    made.clock.advance(40_000);
    const most = Math.max(...times.map((time, index) => times.findLastIndex((at) => at < time + 1_000) - index + 1));
    expect(most).toBeLessThanOrEqual(50);
    expect(times.length).toBeGreaterThan(2_900);
  });

  it('find withdrawn rights with one review for each identity, so 1,000 of them at 50 a second within 25 s', () => {
    // A fifth of the identities, at a fifth of the rate.
    const made = scene({ reviewsPerSecond: 10 });
    const users = Array.from({ length: 200 }, (_, index) => `user-${index}`);
    for (const user of users) {
      made.grant(user, [{ verbs: ['list', 'watch'], resources: ['configmaps'] }]);
      const viewer = rawViewer(made, { user });
      viewer.send({ type: 'hello', protocol: 2 });
      viewer.send({ type: 'subscribe', id: 1, request: { ...aRequest, namespaces: [''] } });
    }
    made.clock.advance(60_000);
    expect(made.hub.subscriptions).toBe(200);
    for (const user of users) made.grant(user, []);
    made.server.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'readers' },
    });
    made.clock.advance(25_000);
    expect(made.hub.subscriptions).toBe(0);
  });
});
