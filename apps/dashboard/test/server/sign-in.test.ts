import { VirtualTimeScheduler } from 'rxjs';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { promisesSettled } from '../../../../test/support/promises-settled.js';
import { startDashboardServer } from '../../server/dashboard-server.js';
import { statusIn, type Exchange } from './exchange.js';
import { cookieIn, fromPage, origin, ownToken, startTeam, type Team } from './team.js';

const html = { accept: 'text/html,*/*' };
const read = (answer: Exchange): unknown => JSON.parse(answer.body.toString());

/** Returns a JSON Web Token with these claims and a signature that nothing verifies. */
function jwt(claims: object): string {
  return ['{"alg":"RS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

describe('the sign-in of a team', () => {
  let team: Team;
  afterEach(() => team.close());

  it('lets two viewers read the cluster through one server, each with the token of its own', async () => {
    team = await startTeam();
    const [ada, grace] = [await team.signIn('token-of-ada'), await team.signIn('token-of-grace')];
    const cookies = [ada, grace, ada, grace, grace, ada];
    const answers = await Promise.all(cookies.map((cookie) => team.ask('/api/v1/pods', { headers: { cookie } })));

    expect(answers.map(read)).toEqual(['ada', 'grace', 'ada', 'grace', 'grace', 'ada'].map((readBy) => ({ readBy })));
    expect(team.upstream.requests.map(({ headers }) => headers.authorization)).not.toContain(`Bearer ${ownToken}`);
  });

  it('stores the token in cookies that only this origin can send, and opens the page', async () => {
    team = await startTeam();
    const { status, headers } = await team.post({ token: ' token-of-ada\n', to: '/pods?view=nodes' });

    expect([status, headers.location]).toEqual([303, '/pods?view=nodes']);
    expect(JSON.stringify(headers)).not.toContain('token-of-ada');
    expect(headers['set-cookie']?.[0]).toMatch(/^__Host-.*; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    expect((await team.ask('/', { headers: { ...html, cookie: cookieIn({ headers }) } })).status).toBe(200);
  });

  it('has a form without scripts, which a browser sends to this server only and with its Origin', async () => {
    team = await startTeam();
    const { status, headers, body } = await team.ask('/login?to=%2F%3Fview%3D%22%3E%3Cscript%3E', { headers: html });
    const policy = String(headers['content-security-policy']).split('; ');

    expect(status).toBe(200);
    expect(policy.map((rule) => rule.split(' ')[0])).toEqual([
      'default-src',
      'style-src',
      'form-action',
      'base-uri',
      'frame-ancestors',
    ]);
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"]),
    );
    // With `no-referrer`, a browser sends the form with `Origin: null`.
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(body.toString()).toContain('type="password"');
    expect(body.toString()).not.toMatch(/<script|src=|href=/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('is where the page leads without a session, and returns to the same screen', async () => {
    team = await startTeam();
    const first = await team.ask('/pods?view=nodes&ns=a%26b', { headers: html });
    expect([first.status, first.headers.location]).toEqual([303, '/login?to=%2Fpods%3Fview%3Dnodes%26ns%3Da%2526b']);
    const form = await team.ask(first.headers.location ?? '', { headers: html });
    expect(form.body.toString()).toContain('name="to" value="/pods?view=nodes&#38;ns=a%26b"');
  });

  it('is skipped after a link on another site, because the browser then withholds the cookie of the session', async () => {
    team = await startTeam();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { status, body } = await team.ask('/?opened=a', { headers: { ...html, ...link } });
    expect([status, body.toString().includes('content="0; url=/?opened=a"')]).toEqual([200, true]);
  });

  it('answers every wrong token with the same text', async () => {
    team = await startTeam();
    const tokens = [
      'wrong',
      '',
      'two words',
      'a\r\nImpersonate-User: admin',
      'é',
      jwt({ exp: 1 }),
      `${jwt({})}=`,
      'x'.repeat(9_000),
    ];
    const answers = await Promise.all(tokens.map((token) => team.post({ token })));

    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 403));
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
    expect(answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])).toEqual([]);
  });

  it('refuses a token that the API server ignores, so that the viewer would be anonymous', async () => {
    team = await startTeam();
    team.users.set('ignored', 'system:anonymous');
    const { status, headers } = await team.post({ token: 'ignored' });
    expect([status, headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('says that the token is too long if it does not fit into cookies, before the token is sent anywhere', async () => {
    team = await startTeam();
    const { status, body } = await team.post({ token: 'x'.repeat(12_000) });
    expect([status, body.toString().includes('too long')]).toEqual([413, true]);
    expect(team.upstream.requests).toEqual([]);
  });

  it('accepts a long token, which needs several cookies', async () => {
    team = await startTeam();
    const token = jwt({ sub: 'ada', padding: 'x'.repeat(7_000) });
    team.users.set(token, 'ada');
    const cookie = await team.signIn(token);

    expect(cookie.match(/-session-/g)?.length).toBe(4);
    expect(read(await team.ask('/api', { headers: { cookie } }))).toEqual({ readBy: 'ada' });
  });

  it('says so if the API server does not answer, without counting it as an attempt', async () => {
    team = await startTeam();
    await team.upstream.close();
    const codes: unknown[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) codes.push((await team.post({ token: 'token-of-ada' })).status);
    expect(new Set(codes)).toEqual(new Set([502]));
  });

  it('allows an address 20 failures a minute, also at the same time, and any number of successes', async () => {
    const scheduler = new VirtualTimeScheduler();
    team = await startTeam({ scheduler });
    for (let attempt = 0; attempt < 30; attempt += 1) await team.signIn('token-of-ada');
    const sent = team.upstream.requests.length;
    const failures = await Promise.all(Array.from({ length: 30 }, () => team.post({ token: 'wrong' })));
    const right = await team.post({ token: 'token-of-ada' });

    expect(failures.filter(({ status }) => status === 403)).toHaveLength(20);
    expect([right.status, right.headers['retry-after']]).toEqual([429, '60']);
    expect(team.upstream.requests.length - sent).toBe(20);
    scheduler.maxFrames = 60_000;
    scheduler.schedule(() => undefined, 60_000);
    scheduler.flush();
    await promisesSettled();
    expect((await team.post({ token: 'token-of-ada' })).status).toBe(303);
  });

  it.each([
    ['//evil.example'],
    ['/\\evil.example'],
    ['https://evil.example/'],
    ['/.//evil.example'],
    ['/\t/evil.example'],
    ['javascript:alert(1)'],
    ['evil'],
    [''],
    ['/login'],
    ['/logout?x'],
    ['/a longer path than any link of the page'],
  ])('leads to no other site and to no other sign-in: %j', async (path) => {
    team = await startTeam();
    const to = path.startsWith('/a longer') ? path.padEnd(3_000, 'x') : path;
    expect((await team.post({ token: 'token-of-ada', to })).headers.location).toBe('/');
  });

  it('shows in the information the name of the viewer and the end of the session', async () => {
    const scheduler = new VirtualTimeScheduler();
    team = await startTeam({ scheduler, namespace: 'shop' });
    const cookie = await team.signIn('token-of-ada');
    expect(read(await team.ask('/dashboard/info', { headers: { cookie } }))).toEqual({
      context: 'loaded-context',
      contexts: ['loaded-context'],
      user: 'ada',
      namespace: null,
      forcedNamespace: 'shop',
      allowWrites: false,
      secrets: false,
      demo: false,
      hub: [],
      session: { until: '1970-01-01T08:00:00.000Z' },
    });
  });

  it.each([
    ['the token expires first', { exp: 3_600 }, '1970-01-01T01:00:00.000Z'],
    ['the session expires first', { exp: 360_000 }, '1970-01-01T08:00:00.000Z'],
    ['the token has no date that can be read', { exp: 'soon' }, '1970-01-01T08:00:00.000Z'],
  ])('ends the session with its token or after eight hours: %s', async (_, claims, until) => {
    team = await startTeam({ scheduler: new VirtualTimeScheduler() });
    team.users.set(jwt(claims), 'ada');
    const cookie = await team.signIn(jwt(claims));
    expect(read(await team.ask('/dashboard/info', { headers: { cookie } }))).toMatchObject({ session: { until } });
  });

  it('is shared by replicas with the same secret, and ends with the process without one', async () => {
    const sessionKey = Buffer.alloc(32, 'k');
    team = await startTeam({ team: { publicUrl: origin, sessionKey } });
    const cookie = await team.signIn('token-of-ada');
    const replica = await startTeam({ team: { publicUrl: origin, sessionKey } });
    const other = await startTeam();
    const statuses = [replica, other].map(async (each) => (await each.ask('/api', { headers: { cookie } })).status);

    expect(await Promise.all(statuses)).toEqual([200, 401]);
    await replica.close();
    await other.close();
  });

  it('is required for everything, and its absence is a Status for programs', async () => {
    team = await startTeam();
    const paths = ['/api/v1/pods', '/version', '/dashboard/info', '/assets/page.js', '/favicon.svg'];
    const answers = await Promise.all(paths.map((path) => team.ask(path)));
    expect(answers.map((answer) => statusIn(answer).code)).toEqual(paths.map(() => 401));
    expect(statusIn(answers[0] as Exchange).message).toContain(`${origin}/login`);
    expect(team.upstream.requests).toEqual([]);
  });

  it('ends when the viewer signs out: the cookies are removed, and a copy of them is refused', async () => {
    team = await startTeam();
    const [cookie, other] = [await team.signIn('token-of-ada'), await team.signIn('token-of-ada')];
    const { status, headers } = await team.ask('/logout', { method: 'POST', headers: { cookie, ...fromPage } });

    expect([status, cookieIn({ headers })]).toEqual([204, '']);
    expect(headers['set-cookie']?.length).toBe(5);
    expect((await team.ask('/api', { headers: { cookie } })).status).toBe(401);
    expect((await team.ask('/api', { headers: { cookie: other } })).status).toBe(200);
    expect((await team.ask('/logout', { headers: { cookie: other } })).status).toBe(405);
  });

  it('ends when the API server does not accept the token any longer', async () => {
    team = await startTeam();
    const cookie = await team.signIn('token-of-ada');
    team.users.delete('token-of-ada');
    const refused = await team.ask('/api/v1/pods', { headers: { cookie } });
    team.users.set('token-of-ada', 'ada');

    expect([refused.status, cookieIn(refused), refused.headers['set-cookie']?.length]).toEqual([401, '', 5]);
    expect((await team.ask('/api/v1/pods', { headers: { cookie } })).status).toBe(401);
  });

  it('is required wherever other machines can reach the server', async () => {
    team = await startTeam();
    const options = { kubeConfig: kubeConfigOf({ server: team.upstream.url }), page: '.', listen: '0.0.0.0' };
    await expect(startDashboardServer(options)).rejects.toThrow('loopback');
  });

  it('is refused for several clusters, because a token must not be sent to another cluster', async () => {
    team = await startTeam();
    const kubeConfig = kubeConfigOf({ server: team.upstream.url });
    const options = { kubeConfig, page: '.', team: { publicUrl: origin } };
    await expect(startDashboardServer({ ...options, otherContexts: [kubeConfig] })).rejects.toThrow('one cluster');
  });
});
