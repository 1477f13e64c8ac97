import { hasSignIn, runOfServer } from '../../page/cluster/run-of-server.js';

describe('the identity of a tab of the dashboard', () => {
  it('is the run of the server on the port of the page, also if other ports of the host have cookies', () => {
    const cookies = 'a=1; rx-informers-dashboard-80-run=ff; rx-informers-dashboard-8080-run=00; b=2';
    expect([runOfServer(cookies, '8080'), runOfServer(cookies, '80')]).toEqual(['00', 'ff']);
  });

  it('is the session of a viewer that has signed in, which another host cannot replace', () => {
    const cookies = 'rx-informers-dashboard--run=00; __Host-rx-informers-dashboard--run=ff';
    expect([runOfServer(cookies, ''), hasSignIn(cookies, '')]).toEqual(['ff', true]);
    expect(hasSignIn('rx-informers-dashboard--run=00', '')).toBe(false);
  });

  it('is empty for a server that sets no cookie, such as kubectl proxy', () => {
    expect([runOfServer('', '8001'), runOfServer('rx-informers-dashboard-80-run=ff', '8001')]).toEqual(['', '']);
  });
});
