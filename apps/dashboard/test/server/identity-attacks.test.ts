import { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { asyncScheduler, VirtualTimeScheduler } from 'rxjs';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { until } from '../../../../test/support/until.js';
import { identityGate, maxStreamDuration } from '../../server/identity-gate.js';
import { secretHeader } from '../../server/identity-headers.js';
import { impersonation } from '../../server/viewer-credentials.js';
import { statusIn } from './exchange.js';
import { fromProxy, identity } from './identity.js';
import { codesIn, lines, rawExchange } from './raw-exchange.js';
import { fromPage, host, origin, ownToken, startTeam, type Team } from './team.js';

const close = 'Connection: close';
const pod = '/api/v1/namespaces/a/pods/b';
const secretLine = `${secretHeader}: ${identity.secret}`;
const ada = 'X-Forwarded-Email: ada';
const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

describe('a dashboard whose viewers are identified by a proxy', () => {
  let team: Team;
  let errors: readonly string[];

  beforeEach(async () => {
    errors = [];
    team = await startTeam({
      allowWrites: true,
      team: { publicUrl: origin, identity },
      onError: ({ message, cause }) => (errors = [...errors, message, String(cause)]),
    });
  });
  afterEach(() => team.close());

  const send = (line: string, ...headers: readonly string[]): Promise<string> =>
    rawExchange(team.dashboard.url, lines(`${line} HTTP/1.1`, `Host: ${host}`, ...headers, close, ''));

  /** Returns the headers of the last request to the API server that tell whose it is. */
  function sentIdentity(): readonly string[] {
    const sent = Object.entries(team.upstream.requests.at(-1)?.headers ?? {});
    return sent.filter(([name]) => /^(authorization|impersonate-|x-|cookie)/.test(name)).map((pair) => pair.join(': '));
  }

  it('sends each request with the account of the server, which impersonates the viewer', async () => {
    expect((await team.ask('/api/v1/pods', { headers: fromProxy('ada', 'developers,finance,operators') })).status).toBe(
      200,
    );
    expect(sentIdentity()).toEqual([
      `authorization: Bearer ${ownToken}`,
      'impersonate-user: ada',
      'impersonate-group: developers, operators',
    ]);
    await team.ask(pod, { method: 'DELETE', headers: { ...fromProxy('grace'), ...fromPage } });
    expect(sentIdentity()).toEqual([`authorization: Bearer ${ownToken}`, 'impersonate-user: grace']);
  });

  it('names the viewer, has no session, and no sign-in', async () => {
    const { body } = await team.ask('/dashboard/info', { headers: fromProxy('ada') });
    expect(JSON.parse(body.toString())).toMatchObject({ user: 'ada' });
    expect(JSON.parse(body.toString())).not.toHaveProperty('session');
    const before = team.upstream.requests.length;
    const form = { ...fromProxy('ada'), origin, 'content-type': 'application/x-www-form-urlencoded' };
    const answers = [
      await team.ask('/login', { headers: fromProxy('ada') }),
      await team.ask('/login', { method: 'POST', headers: form, body: `token=${ownToken}` }),
      await team.ask('/logout', { method: 'POST', headers: { ...fromProxy('ada'), ...fromPage } }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['set-cookie']])).toEqual(
      answers.map(() => [404, undefined]),
    );
    expect(statusIn(answers[2] as (typeof answers)[0]).message).toContain('the proxy');
    expect(team.upstream.requests.length).toBe(before);
  });

  it('marks the page with a cookie that differs for each viewer, and reveals nothing', async () => {
    const cookieOf = async (user: string, groups?: string): Promise<string> =>
      (await team.ask('/', { headers: fromProxy(user, groups) })).headers['set-cookie']?.join() ?? '';
    const cookies = [await cookieOf('ada'), await cookieOf('grace'), await cookieOf('ada', 'developers')];
    expect(new Set(cookies).size).toBe(3);
    expect(await cookieOf('ada')).toBe(cookies[0]);
    expect(cookies[0]).toMatch(/^__Host-rx-informers-dashboard--run=[0-9a-f]{32}; Path=\/; Secure; SameSite=Strict$/);
    // It is no proof of anything.
    const { status } = await team.ask('/api/v1/pods', { headers: { cookie: cookies[0]?.split(';')[0] ?? '' } });
    expect(status).toBe(401);
  });

  it.each<[string, readonly string[]]>([
    ['no header', []],
    ['the identity without the secret', [ada, 'X-Forwarded-Groups: developers']],
    ['a wrong secret', [`${secretHeader}: ${identity.secret}x`, ada]],
    ['the secret twice', [secretLine, secretLine, ada]],
    ['a wrong secret before the secret', [`${secretHeader}: x`, secretLine, ada]],
    ['the secret under another name', [`${secretHeader.replaceAll('-', '_')}: ${identity.secret}`, ada]],
    ['the secret as a bearer token', [`Authorization: Bearer ${identity.secret}`, ada]],
    ['the secret in a cookie', [`Cookie: ${secretHeader}=${identity.secret}`, ada]],
    ['the secret in a trailer', [ada, 'Transfer-Encoding: chunked', close, '', '0', secretLine]],
    ['the secret, but another header for the user', [secretLine, 'X-Forwarded-User: ada', 'X_Forwarded_Email: ada']],
    ['an impersonation', ['Impersonate-User: ada', 'Impersonate-Group: system:masters']],
    ['the secret and an impersonation', [secretLine, 'Impersonate-User: ada']],
    ['the token of the server', [`Authorization: Bearer ${ownToken}`]],
  ])('refuses a sender with %s: it is not signed in', async (_, headers) => {
    expect(codesIn(await send('GET /api/v1/pods', ...headers))).toEqual([401]);
    expect(codesIn(await send('GET /', 'Accept: text/html', ...headers))).toEqual([401]);
    expect(codesIn(await send('GET /dashboard/info', ...headers))).toEqual([401]);
    const own = [`Origin: ${origin}`, 'X-Rx-Informers-Dashboard: 1'];
    expect(codesIn(await send(`DELETE ${pod}`, ...own, ...headers))).toEqual([401]);
    const watch = await send('GET /api/v1/pods?watch=true', ...upgrade, `Origin: ${origin}`, ...headers);
    expect(codesIn(watch)).toEqual([401]);
    expect(team.upstream.requests).toEqual([]);
  });

  it('refuses the secret in an address, and writes it nowhere', async () => {
    for (const name of [secretHeader, 'secret', 'token']) {
      const answer = await send(`GET /api/v1/pods?${name}=${identity.secret}`, ada);
      expect(codesIn(answer)).toEqual([401]);
      expect(answer).not.toContain(identity.secret);
    }
    await team.upstream.close();
    const { status, body } = await team.ask('/api/v1/pods', { headers: fromProxy('ada') });
    expect(status).toBe(502);
    expect(errors.length).toBeGreaterThan(0);
    expect([...errors, body.toString()].join()).not.toMatch(new RegExp(`${identity.secret}|${ownToken}`));
  });

  it.each<[string, readonly string[]]>([
    ['a user of system:', ['X-Forwarded-Email: system:admin']],
    ['a user of system: in capitals', ['X-Forwarded-Email: SYSTEM:admin']],
    ['a user of system: with invisible characters', ['X-Forwarded-Email: sys\u00c2\u00adtem:admin']],
    ['the group system:masters', [ada, 'X-Forwarded-Groups: system:masters']],
    ['the group system:masters among others', [ada, 'X-Forwarded-Groups: developers, System:Masters ,x']],
    ['two users', [ada, 'X-Forwarded-Email: grace']],
    ['two users in other case', [ada, 'x-forwarded-EMAIL: grace']],
    ['two users in one header', ['X-Forwarded-Email: ada, grace']],
    ['two lists of groups', [ada, 'X-Forwarded-Groups: developers', 'X-Forwarded-Groups: system:masters']],
  ])('refuses %s, although the proxy sends it', async (_, headers) => {
    expect(codesIn(await send('GET /api/v1/pods', secretLine, ...headers))).toEqual([403]);
    const page = await send('GET /', 'Accept: text/html', secretLine, ...headers);
    expect(codesIn(page)).toEqual([403]);
    expect(page).toMatch(/<h1>Dashboard<\/h1><p>the identity is refused: /);
    const watch = await send('GET /api/v1/pods?watch=true', ...upgrade, `Origin: ${origin}`, secretLine, ...headers);
    expect(codesIn(watch)).toEqual([403]);
    expect(team.upstream.requests).toEqual([]);
  });

  it('refuses smuggled lines: they are no second request, and no header', async () => {
    for (const bytes of [
      `X-Forwarded-Email: ada\nImpersonate-Group: system:masters`,
      `X-Forwarded-Email: ada\rImpersonate-Group: system:masters`,
      `X-Forwarded-Email: ada\0`,
      `X-Forwarded-Email : grace`,
      ` X-Forwarded-Email: grace`,
      `X-Forwarded-Email: ada\r\n x`,
    ]) {
      const answer = await send('GET /api/v1/pods', secretLine, bytes);
      expect([bytes, codesIn(answer).every((code) => code >= 400)]).toEqual([bytes, true]);
    }
    expect(team.upstream.requests).toEqual([]);
  });

  it('forwards no other identity than that of the proxy', async () => {
    const headers = {
      ...fromProxy('ada'),
      authorization: 'Bearer other',
      'impersonate-user': 'system:admin',
      'impersonate-group': 'system:masters',
      'impersonate-uid': '1',
      'impersonate-extra-scopes': 'all',
      'x-remote-user': 'admin',
      'x-forwarded-user': 'admin',
    };
    expect((await team.ask('/api/v1/pods', { headers })).status).toBe(200);
    expect(sentIdentity()).toEqual([`authorization: Bearer ${ownToken}`, 'impersonate-user: ada']);
  });

  it('refuses a write that is not from the page, although the proxy adds the identity', async () => {
    for (const headers of [
      {},
      { origin },
      { 'x-rx-informers-dashboard': '1' },
      { ...fromPage, origin: 'https://a.b' },
    ]) {
      const { status } = await team.ask(pod, { method: 'DELETE', headers: { ...fromProxy('ada'), ...headers } });
      expect(status).toBe(403);
    }
    expect(team.upstream.requests).toEqual([]);
  });

  it('sends a watch over a WebSocket as its viewer', async () => {
    const bytes = ['GET /api/v1/pods?watch=true HTTP/1.1', `Host: ${host}`, ...upgrade, `Origin: ${origin}`];
    const headers = Object.entries(fromProxy('ada', 'operators')).map(([name, value]) => `${name}: ${value}`);
    void rawExchange(team.dashboard.url, lines(...bytes, ...headers, ''));
    await until(() => team.watches.length === 1);
    expect(sentIdentity()).toEqual([
      `authorization: Bearer ${ownToken}`,
      'impersonate-user: ada',
      'impersonate-group: operators',
    ]);
  });

  it('leaves identity headers without effect on a server that was not started for them', async () => {
    await team.close();
    team = await startTeam();
    expect((await team.ask('/api/v1/pods', { headers: fromProxy('ada') })).status).toBe(401);
    expect(team.upstream.requests).toEqual([]);
  });
});

describe('the gate of identified viewers', () => {
  it('does not start with a secret that could be guessed', () => {
    const kubeConfig = kubeConfigOf({ server: 'http://127.0.0.1:1' });
    for (const secret of ['', 'x'.repeat(31)]) {
      const options = { publicUrl: origin, ...identity, secret };
      expect(() => identityGate(kubeConfig, options, asyncScheduler)).toThrow('32 characters or more');
    }
  });

  it('closes each stream after an hour, because later requests cannot end it', () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 0;
    const kubeConfig = kubeConfigOf({ server: 'http://127.0.0.1:1' });
    const gate = identityGate(kubeConfig, { publicUrl: origin, ...identity }, scheduler);
    const headersDistinct = Object.fromEntries(
      Object.entries(fromProxy('ada')).map(([name, value]) => [name, [value]]),
    );
    const request = Object.assign(new IncomingMessage(new Socket()), { headersDistinct });
    const [early, late] = [new PassThrough(), new PassThrough()];
    gate.admitSocket(request, early);
    scheduler.maxFrames = maxStreamDuration - 1;
    scheduler.schedule(() => gate.admitSocket(request, late), scheduler.maxFrames);
    scheduler.flush();
    expect([early.destroyed, late.destroyed]).toEqual([false, false]);
    scheduler.maxFrames = maxStreamDuration;
    scheduler.flush();
    expect([early.destroyed, late.destroyed]).toEqual([true, false]);
    gate.close();
  });
});

describe('the credentials of an identified viewer', () => {
  const account = kubeConfigOf({ server: 'http://127.0.0.1:1' }, { token: ownToken });

  it.each(['', ' ', '\t', 'system:admin', 'ada\r\nx: y', 'ada,grace'])(
    'do not exist for the user %j, with which the API server might not impersonate anyone',
    (user) => {
      expect(() => impersonation(account)({ user, groups: [] })).toThrow('cannot be impersonated');
    },
  );

  it('have a header for each group, because the API server does not split them', async () => {
    const { options } = await impersonation(account)({ user: 'ada', groups: ['developers', 'operators'] })();
    expect(options.headers['impersonate-group']).toEqual(['developers', 'operators']);
  });

  it('replace an impersonation of the kubeconfig itself', async () => {
    const own = {
      getCurrentCluster: () => ({ server: 'http://127.0.0.1:1' }),
      applyToHTTPSOptions: (options: RequestOptions) => {
        options.headers = { 'Impersonate-User': 'root', 'Impersonate-Uid': '1', Authorization: 'Bearer a' };
        return Promise.resolve();
      },
    };
    const { options } = await impersonation(own)({ user: 'ada', groups: [] })();
    expect(options.headers).toEqual({ authorization: 'Bearer a', 'impersonate-user': 'ada' });
  });
});
