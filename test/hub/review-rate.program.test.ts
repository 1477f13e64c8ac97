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
});
