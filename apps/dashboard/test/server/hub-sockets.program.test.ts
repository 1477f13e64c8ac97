import { informer, pods, type Informer, type Pod } from 'rx-informers';
import { connectHub } from 'rx-informers/hub';
import { aPod } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { WebSocket } from 'ws';
import { until } from '../../../../test/support/until.js';
import { hubKinds } from '../../server/hub-kinds.js';
import { maxSocketsOfViewer } from '../../server/hub-sockets.js';
import { accountToken, startHubTeam, whenReceived, type HubTeam } from './hub-team.js';
import { host, origin } from './team.js';

describe('the hub of the dashboard', () => {
  let team: HubTeam;

  beforeEach(async () => {
    team = await startHubTeam();
  });
  afterEach(() => team.close());

  /** Reads pods with the code of the page. */
  function follow(cookie: string, namespace?: string): Informer<Pod> {
    const url = `${team.dashboard.url.replace('http', 'ws')}/hub`;
    const hub = connectHub(() => new WebSocket(url, { headers: { host, origin, cookie } }));
    const followed = informer(hub.listWatch(team.api.client, pods, { namespace }), {
      onUnobservedError: () => undefined,
    });
    followed.connect();
    return followed;
  }

  it('sends each viewer what its own token may read, from one watch with the account of the server', async () => {
    const [ada, grace] = [await team.signIn('token-of-ada'), await team.signIn('token-of-grace')];
    const before = team.requests.length;
    const shown = [follow(ada, 'shop'), follow(grace, 'lab'), follow(ada, 'lab'), follow(grace)];
    const [ofAda, ofGrace, foreign, all] = shown;
    await until(() => ofAda?.hasSynced === true && ofGrace?.hasSynced === true);
    await until(() => foreign?.status.state === 'forbidden' && all?.status.state === 'forbidden');
    team.api.apply([aPod({ name: 'later', namespace: 'shop' }), aPod({ name: 'later', namespace: 'lab' })]);
    await until(() => ofAda?.keys().length === 2 && ofGrace?.keys().length === 2);

    expect(shown.map((each) => each.keys())).toEqual([
      ['shop/later', 'shop/of-shop'],
      ['lab/later', 'lab/of-lab'],
      [],
      [],
    ]);
    const made = team.requests.slice(before);
    expect(made.filter((request) => request.endsWith('/pods'))).toEqual([`${accountToken}: WATCH /api/v1/pods`]);
    expect(made.filter((request) => request.startsWith('token-of-')).length).toBeGreaterThan(0);
    expect(
      made.filter((request) => !request.startsWith(accountToken) && !/: POST .*\/selfsubject\w+reviews$/.test(request)),
    ).toEqual([]);
    for (const each of shown) each.stop();
  });

  it('uses the account of the server for its own reads only: other requests of a viewer have its token', async () => {
    const cookie = await team.signIn('token-of-ada');
    const before = team.requests.length;
    for (const path of ['/api/v1/namespaces/shop/pods', '/api/v1/nodes', '/version', '/apis'])
      await team.ask(path, { headers: { cookie } });
    expect(team.requests.slice(before).every((request) => request.startsWith('token-of-ada: '))).toBe(true);
  });

  it('is named by /dashboard/info with its kinds, which have no Secrets', async () => {
    const cookie = await team.signIn('token-of-ada');
    const { body } = await team.ask('/dashboard/info', { headers: { cookie } });
    const { hub } = JSON.parse(body.toString()) as { readonly hub: readonly { readonly plural: string }[] };
    expect(hub).toEqual(hubKinds.map(({ group, version, plural }) => ({ group, version, plural })));
    expect(hub.map(({ plural }) => plural)).not.toContain('secrets');
  });

  it('does not exist without --hub', async () => {
    await team.close();
    team = await startHubTeam({ hub: false });
    const cookie = await team.signIn('token-of-ada');
    const viewer = team.socket(cookie);
    await viewer.settled;
    expect(viewer.refusal).toBe(403);
    const { body } = await team.ask('/dashboard/info', { headers: { cookie } });
    expect(JSON.parse(body.toString())).toMatchObject({ hub: [] });
    expect(team.requests.some((request) => request.startsWith(accountToken))).toBe(false);
  });

  it('closes the sockets of a viewer that signs out, and keeps those of others', async () => {
    const [ada, grace] = [await team.signIn('token-of-ada'), await team.signIn('token-of-grace')];
    const viewers = [team.socket(ada), team.socket(ada), team.socket(grace)];
    await Promise.all(viewers.map(({ settled }) => settled));
    viewers[0]?.subscribe(1, 'pods');
    await whenReceived(viewers[0] as (typeof viewers)[0], 'part');
    await team.signOut(ada);

    await until(() => viewers[0]?.isClosed === true && viewers[1]?.isClosed === true);
    expect(viewers[2]?.isClosed).toBe(false);
    const again = team.socket(ada);
    await again.settled;
    expect(again.refusal).toBe(401);
  });

  it('closes the sockets of a session that expires', async () => {
    await team.close();
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 0;
    team = await startHubTeam({ scheduler, sessionHours: 7 / 3_600 });
    const cookie = await team.signIn('token-of-ada');
    const viewer = team.socket(cookie);
    await viewer.settled;
    scheduler.maxFrames = 6_900;
    scheduler.flush();
    expect(viewer.isClosed).toBe(false);
    scheduler.maxFrames = 7_000;
    scheduler.flush();
    await until(() => viewer.isClosed);
    const again = team.socket(cookie);
    await again.settled;
    expect(again.refusal).toBe(401);
  });

  it('ends all sessions of a token that the API server does not accept any longer', async () => {
    const sessions = [await team.signIn('token-of-ada'), await team.signIn('token-of-ada')];
    const viewers = sessions.map((cookie) => team.socket(cookie));
    const other = team.socket(await team.signIn('token-of-grace'));
    await Promise.all([...viewers, other].map(({ settled }) => settled));
    team.api.revoke('token-of-ada');
    viewers[0]?.subscribe(1, 'pods');

    await until(() => viewers.every(({ isClosed }) => isClosed));
    const answers = await Promise.all(sessions.map((cookie) => team.ask('/dashboard/info', { headers: { cookie } })));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(other.isClosed).toBe(false);
  });

  it('limits the sockets of a viewer, over all of its sessions', async () => {
    const sessions = [await team.signIn('token-of-ada'), await team.signIn('token-of-ada')];
    const open = Array.from({ length: maxSocketsOfViewer }, (_, index) => team.socket(sessions[index % 2] ?? ''));
    await Promise.all(open.map(({ settled }) => settled));
    const [tooMany, other] = [team.socket(sessions[0] ?? ''), team.socket(await team.signIn('token-of-grace'))];
    await Promise.all([tooMany.settled, other.settled]);
    expect([tooMany.refusal, other.refusal]).toEqual([429, undefined]);

    open[0]?.socket.terminate();
    await until(async () => {
      const next = team.socket(sessions[0] ?? '');
      await next.settled;
      return next.refusal === undefined;
    });
  });
});
