import { until } from '../../../../test/support/until.js';
import { maxSocketsOfViewer } from '../../server/hub-sockets.js';
import { secretHeader } from '../../server/identity-headers.js';
import { accountToken, startHubTeam, whenReceived, type HubTeam, type HubViewer } from './hub-team.js';
import { fromProxy, identity } from './identity.js';

describe('the hub for viewers that a proxy identifies', () => {
  let team: HubTeam;

  beforeEach(async () => {
    team = await startHubTeam({ identity });
  });
  afterEach(() => team.close());

  async function opened(headers: Readonly<Record<string, string>>): Promise<HubViewer> {
    const viewer = team.socket('', headers);
    await viewer.settled;
    return viewer;
  }

  it('sends each identity what it may read itself, although the account may read everything', async () => {
    const [ada, grace] = [await opened(fromProxy('ada')), await opened(fromProxy('grace'))];
    for (const viewer of [ada, grace]) {
      viewer.subscribe(1, 'pods');
      viewer.subscribe(2, 'pods', { namespaces: ['lab'] });
      viewer.subscribe(3, 'pods', { namespaces: [''] });
    }
    await Promise.all([whenReceived(ada, 'part', 1), whenReceived(grace, 'part', 2)]);
    await Promise.all([whenReceived(ada, 'ended', 2), whenReceived(ada, 'ended', 3), whenReceived(grace, 'ended', 1)]);

    expect([ada.text.includes('of-shop'), ada.text.includes('of-lab')]).toEqual([true, false]);
    expect([grace.text.includes('of-shop'), grace.text.includes('of-lab')]).toEqual([false, true]);
    expect(ada.received.find(({ id, type }) => id === 2 && type === 'ended')?.reason).toBe('forbidden');
    const reviews = team.requests.filter((request) => request.includes('reviews'));
    expect(reviews.length).toBeGreaterThan(0);
    expect(
      reviews.every((request) => request.endsWith('/subjectaccessreviews') || request.includes('selfsubject')),
    ).toBe(true);
  });

  it('answers all other requests with the rights of the identity, and never with those of the account', async () => {
    const codes = (user: string): Promise<readonly (number | undefined)[]> =>
      Promise.all(
        ['/api/v1/namespaces/shop/pods', '/api/v1/namespaces/lab/pods', '/api/v1/pods', '/api/v1/nodes'].map(
          async (path) => (await team.ask(path, { headers: fromProxy(user) })).status,
        ),
      );
    expect([await codes('ada'), await codes('grace'), await codes('eve')]).toEqual([
      [200, 403, 403, 403],
      [403, 200, 403, 403],
      [403, 403, 403, 403],
    ]);
    expect(team.requests.every((request) => request.startsWith(accountToken))).toBe(true);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['no identity', {}],
    ['an identity without the secret', { 'x-forwarded-email': 'ada' }],
    ['a wrong secret', { ...fromProxy('ada'), [secretHeader]: 'x'.repeat(40) }],
    ['a user of system:', fromProxy('System:admin')],
    ['a group of system:', fromProxy('ada', 'developers,system:masters')],
  ])('refuses a socket with %s', async (_, headers) => {
    expect((await opened(headers)).refusal).toBe(401);
  });

  it('limits the sockets of each identity, with its groups', async () => {
    const viewers: HubViewer[] = [];
    for (let count = 0; count < maxSocketsOfViewer; count++) viewers.push(await opened(fromProxy('ada', 'finance')));
    expect(viewers.every(({ refusal }) => refusal === undefined)).toBe(true);
    expect((await opened(fromProxy('ada'))).refusal).toBe(429);
    expect((await opened(fromProxy('ada', 'developers'))).refusal).toBeUndefined();
    expect((await opened(fromProxy('grace'))).refusal).toBeUndefined();
    viewers[0]?.socket.terminate();
    await until(async () => (await opened(fromProxy('ada'))).refusal === undefined);
  });
});
