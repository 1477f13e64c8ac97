import { networkInterfaces } from 'node:os';
import { VirtualTimeScheduler } from 'rxjs';
import { WebSocket } from 'ws';
import { until } from '../../../../test/support/until.js';
import { open } from './exchange.js';
import { fromPage, host, origin, startTeam, type Team } from './team.js';

const hour = 3_600_000;
const watchPath = '/api/v1/pods?watch=true';

describe('the open streams of a viewer', () => {
  let team: Team;
  let scheduler: VirtualTimeScheduler;

  beforeEach(async () => {
    scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 0;
    team = await startTeam({ scheduler });
  });
  afterEach(() => team.close());

  /**
   * Advances the clock of the server. Tests advance it by less than ten seconds while a watch is
   * open, because a watch without data is closed then.
   */
  function pass(milliseconds: number): void {
    // Without a timer of its own, an idle scheduler would not advance.
    scheduler.schedule(() => undefined, milliseconds);
    scheduler.maxFrames += milliseconds;
    scheduler.flush();
  }

  async function watch(cookie: string): Promise<{ readonly isClosed: () => boolean }> {
    const answer = await open(team.dashboard.url, watchPath, { headers: { host, cookie } });
    let isClosed = false;
    answer.resume().on('error', () => undefined);
    answer.once('close', () => (isClosed = true));
    return { isClosed: () => isClosed };
  }

  async function socket(cookie: string, at: Team = team): Promise<{ readonly isClosed: () => boolean }> {
    const opened = new WebSocket(`${at.dashboard.url.replace('http', 'ws')}${watchPath}`, {
      headers: { host, cookie },
      origin,
    });
    let isClosed = false;
    opened.on('error', () => undefined);
    opened.on('close', () => (isClosed = true));
    await new Promise<void>((resolve) => {
      opened.once('open', resolve);
    });
    return { isClosed: () => isClosed };
  }

  const signOut = (cookie: string): Promise<unknown> =>
    team.ask('/logout', { method: 'POST', headers: { cookie, ...fromPage } });

  it('are closed when the viewer signs out, over HTTP and over WebSockets, and those of others stay', async () => {
    const [ada, grace] = [await team.signIn('token-of-ada'), await team.signIn('token-of-grace')];
    const adas = [await watch(ada), await watch(ada), await socket(ada)];
    const others = [await watch(grace), await socket(grace)];
    await signOut(ada);

    await until(() => adas.every(({ isClosed }) => isClosed()));
    expect(others.map(({ isClosed }) => isClosed())).toEqual([false, false]);
    await until(() => team.watches.filter(({ destroyed }) => destroyed).length === 3);
  });

  it('are closed when the session expires, over HTTP and over WebSockets', async () => {
    await team.close();
    team = await startTeam({ scheduler, team: { publicUrl: origin, sessionHours: 7 / 3_600 } });
    const ada = await team.signIn('token-of-ada');
    pass(4_000);
    const grace = await team.signIn('token-of-grace');
    const adas = [await watch(ada), await socket(ada)];
    const others = [await watch(grace)];
    pass(2_900);
    expect([...adas, ...others].some(({ isClosed }) => isClosed())).toBe(false);

    pass(100);

    await until(() => adas.every(({ isClosed }) => isClosed()));
    expect(others[0]?.isClosed()).toBe(false);
    expect((await team.ask('/api', { headers: { cookie: ada } })).status).toBe(401);
    expect((await team.ask('/api', { headers: { cookie: grace } })).status).toBe(200);
  });

  it('are closed when the API server does not accept the token any longer for another request', async () => {
    const ada = await team.signIn('token-of-ada');
    const streams = [await watch(ada), await socket(ada)];
    team.users.delete('token-of-ada');
    expect((await team.ask('/api/v1/nodes', { headers: { cookie: ada } })).status).toBe(401);

    await until(() => streams.every(({ isClosed }) => isClosed()));
  });

  it('are closed when the viewer signs in again in the same browser', async () => {
    const ada = await team.signIn('token-of-ada');
    const stream = await watch(ada);
    await team.post({ token: 'token-of-grace' }, { cookie: ada });

    await until(() => stream.isClosed());
    expect((await team.ask('/api', { headers: { cookie: ada } })).status).toBe(401);
  });

  it('may be WebSockets at any address on which the server listens', async () => {
    const options = { publicUrl: origin, sessionKey: Buffer.alloc(32, 'k') };
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address));
    const replica = await startTeam({ listen: addresses.includes('::1') ? '::1' : '127.0.0.2', team: options });
    await team.close();
    team = await startTeam({ team: options });
    const opened = await socket(await team.signIn('token-of-ada'), replica);

    expect([opened.isClosed(), replica.watches.length]).toEqual([false, 1]);
    await replica.close();
    await until(() => opened.isClosed());
  });

  it('leave no timer behind when they end by themselves', async () => {
    const ada = await team.signIn('token-of-ada');
    const before = scheduler.actions.length;
    for (let round = 0; round < 3; round += 1) await team.ask('/api', { headers: { cookie: ada } });

    await until(() => scheduler.actions.filter(({ closed }) => !closed).length <= before);
    pass(1_000);
    expect((await team.ask('/api', { headers: { cookie: ada } })).status).toBe(200);
    pass(8 * hour);
    expect((await team.ask('/api', { headers: { cookie: ada } })).status).toBe(401);
  });
});
