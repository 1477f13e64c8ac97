import { codesIn, lines, rawExchange } from './raw-exchange.js';
import { fromPage, host, origin, ownToken, startTeam, type Team } from './team.js';

const close = 'Connection: close';
const pod = '/api/v1/namespaces/a/pods/b';
const own = [`Origin: ${origin}`, `X-Rx-Informers-Dashboard: 1`];
const form = 'Content-Type: application/x-www-form-urlencoded';

type Attack = (cookie: string) => string;

const at = (name: string, line: string, headers: readonly string[] = [], body = ''): Attack => {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  return (cookie) =>
    lines(`${line} HTTP/1.1`, `Host: ${name}`, `Cookie: ${cookie}`, ...headers, ...length, close, '') + body;
};
const get = (path: string, ...headers: readonly string[]): Attack => at(host, `GET ${path}`, headers);
const write = (line: string, ...headers: readonly string[]): Attack => at(host, line, headers, '{}');
const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Attacks that have the cookie of a viewer, as the browser of that viewer would send it. */
const families: Readonly<Record<string, readonly Attack[]>> = {
  'under the name of another host (DNS rebinding)': [
    ...[
      'evil.example',
      'localhost',
      '127.0.0.1',
      `${host}.evil.example`,
      `evil.example.${host}`,
      `${host}@evil.example`,
      `evil.example@${host}`,
      `${host}:8080`,
      `${host}.`,
      `${host},evil.example`,
      `${host}#`,
      '',
    ].flatMap((name) => [at(name, 'GET /api/v1/pods'), at(name, 'GET /'), at(name, 'GET /login')]),
    at(host, 'GET /api/v1/pods', ['Host: evil.example']),
    at('evil.example', 'GET /api/v1/pods', [`X-Forwarded-Host: ${host}`, `Forwarded: host=${host}`]),
  ],
  'from another site': [
    ...[
      'https://evil.example',
      `http://${host}`,
      `https://${host}:8443`,
      `https://a.${host}`,
      'null',
      '',
      `${origin}/`,
    ].flatMap((other) => [
      get('/api/v1/pods', `Origin: ${other}`),
      write(
        `PATCH ${pod}`,
        `Origin: ${other}`,
        'X-Rx-Informers-Dashboard: 1',
        'Content-Type: application/merge-patch+json',
      ),
      write('POST /login', `Origin: ${other}`, form),
      write('POST /logout', `Origin: ${other}`, 'X-Rx-Informers-Dashboard: 1'),
    ]),
    ...['cross-site', 'same-site'].flatMap((site) => [
      get('/api/v1/pods', `Sec-Fetch-Site: ${site}`),
      get('/dashboard/info', `Sec-Fetch-Site: ${site}`),
      write(`DELETE ${pod}`, ...own, `Sec-Fetch-Site: ${site}`),
      write('POST /login', ...own, form, `Sec-Fetch-Site: ${site}`),
      write('POST /logout', ...own, `Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'),
    ]),
    get('/api/v1/pods?watch=true', ...upgrade, 'Origin: https://evil.example'),
    get('/api/v1/pods?watch=true', ...upgrade),
  ],
  'as a write that is not from the page': [
    ...['PATCH', 'PUT', 'DELETE', 'POST'].flatMap((method) => [
      write(`${method} ${pod}`),
      write(`${method} ${pod}`, `Origin: ${origin}`),
      write(`${method} ${pod}`, 'X-Rx-Informers-Dashboard: 1'),
    ]),
    write(`POST ${pod}/eviction`, `Origin: ${origin}`, form),
    write('POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews', `Origin: ${origin}`),
    write('POST /logout', `Origin: ${origin}`, form),
    write('POST /login', form),
  ],
  'as what a dashboard never needs': [
    write('POST /api/v1/namespaces/a/serviceaccounts/default/token', ...own),
    write('POST /apis/authentication.k8s.io/v1/tokenreviews', ...own),
    write('PATCH /api/v1/namespaces/a/secrets/b', ...own),
    get(`${pod}/exec`),
    get('/api/v1/nodes/n/proxy/'),
    get(`${pod}/exec?watch=true`, ...upgrade, `Origin: ${origin}`),
    get('/contexts/other/../api/v1/pods'),
  ],
};

describe('attacks on the dashboard of a team through raw sockets', () => {
  let team: Team;
  let cookie: string;

  beforeAll(async () => {
    team = await startTeam({ allowWrites: true });
    cookie = await team.signIn('token-of-ada');
  });
  afterAll(() => team.close());

  it.each(Object.entries(families))(
    '%s have no effect, although they have the cookie of a viewer',
    async (_, attacks) => {
      const before = team.upstream.requests.length;
      for (const attack of attacks) {
        const bytes = attack(cookie);
        const answer = await rawExchange(team.dashboard.url, bytes);
        const what = bytes.replace(cookie, '…');
        expect([what, codesIn(answer).every((code) => code === 400 || code === 403)]).toEqual([what, true]);
        expect(answer).not.toMatch(/^set-cookie:|readBy/im);
      }
      expect(team.upstream.requests.length).toBe(before);
      // The session still exists, and the same requests from the page succeed.
      expect((await team.ask('/api/v1/pods', { headers: { cookie } })).status).toBe(200);
      expect((await team.ask(pod, { method: 'DELETE', headers: { cookie, ...fromPage } })).status).toBe(200);
    },
  );

  it.each<[string, readonly string[]]>([
    ['no cookie', []],
    ['the token in a header', ['Authorization: Bearer token-of-ada']],
    [
      'the token in a cookie',
      ['Cookie: token=token-of-ada', 'Cookie: __Host-rx-informers-dashboard--session-0=token-of-ada'],
    ],
    ['the cookie of a single person', ['Cookie: rx-informers-dashboard-8080=key']],
    [
      'the token in Sec-WebSocket-Protocol',
      ['Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.dG9rZW4tb2YtYWRh'],
    ],
    [
      'the identity headers of a proxy',
      [
        'X-Remote-User: ada',
        'X-Forwarded-User: ada',
        'X-Auth-Request-User: ada',
        'X-Forwarded-Email: ada',
        'Remote-User: ada',
      ],
    ],
    ['the headers of an impersonation', ['Impersonate-User: ada', 'Impersonate-Group: system:masters']],
    ['a client certificate of a proxy', ['X-Forwarded-Client-Cert: Subject="CN=ada"', 'X-SSL-Client-S-DN: CN=ada']],
  ])('with %s instead of a session are refused', async (_, headers) => {
    const before = team.upstream.requests.length;
    const bytes = lines('GET /api/v1/pods HTTP/1.1', `Host: ${host}`, ...headers, close, '');
    expect(codesIn(await rawExchange(team.dashboard.url, bytes))).toEqual([401]);
    expect(team.upstream.requests.length).toBe(before);
  });

  it('with a token in the address are refused, and the token goes nowhere', async () => {
    const before = team.upstream.requests.length;
    for (const path of ['/api/v1/pods', '/', '/login', '/logout', '/dashboard/info']) {
      for (const name of ['token', 'access_token', 'key', 'authorization', 'bearer_token']) {
        const { status, headers } = await team.ask(`${path}?${name}=token-of-ada`);
        expect([path, name, status === 200 && path !== '/login', headers['set-cookie']]).toEqual([
          path,
          name,
          false,
          undefined,
        ]);
      }
    }
    expect(team.upstream.requests.length).toBe(before);
  });

  it('with the cookies of another server or another key are refused, and the cookies are removed', async () => {
    const other = await startTeam();
    const foreign = await other.signIn('token-of-ada');
    await other.close();
    const { status, headers } = await team.ask('/api/v1/pods', { headers: { cookie: foreign } });
    expect([status, headers['set-cookie']?.every((each) => each.endsWith('Max-Age=0'))]).toEqual([401, true]);
  });

  it('with the identity of another user beside a session are forwarded without it', async () => {
    const before = team.upstream.requests.length;
    const headers = {
      cookie: `${cookie}; other=1`,
      authorization: `Bearer ${ownToken}`,
      'proxy-authorization': 'Basic abc',
      'impersonate-user': 'system:admin',
      'impersonate-group': 'system:masters',
      'impersonate-uid': '1',
      'impersonate-extra-scopes': 'all',
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-forwarded-user': 'admin',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-client-cert': 'x',
      ...fromPage,
    };
    expect((await team.ask('/api/v1/pods', { headers })).status).toBe(200);
    const sent = team.upstream.requests.slice(before);

    expect(sent.map((request) => Object.keys(request.headers).sort())).toEqual([
      ['accept-encoding', 'authorization', 'connection', 'host', 'user-agent'],
    ]);
    expect(sent[0]?.headers.authorization).toBe('Bearer token-of-ada');
  });

  it('with a form that is too large, not a form, or ambiguous are refused without a sign-in', async () => {
    const before = team.upstream.requests.length;
    const post = (head: readonly string[], body: string): Promise<string> =>
      rawExchange(
        team.dashboard.url,
        lines('POST /login HTTP/1.1', `Host: ${host}`, `Origin: ${origin}`, ...head, '') + body,
      );
    const announced = await post([form, 'Content-Length: 1000000000'], 'token=a');
    const chunk = 'x'.repeat(0x4000);
    const chunks = `4000\r\n${chunk}\r\n`.repeat(4);
    const chunked = await post([form, 'Transfer-Encoding: chunked'], chunks);
    const json = await post(
      ['Content-Type: application/json', 'Content-Length: 24', close],
      '{"token":"token-of-ada"}',
    );
    const twice = await post([form, 'Content-Length: 26', close], 'token=a&token=token-of-ada');

    expect([announced, chunked, json, twice].map(codesIn)).toEqual([[413], [413], [400], [400]]);
    expect(team.upstream.requests.length).toBe(before);
  });

  it('with more cookies than headers may have are refused, and the server goes on', async () => {
    const bytes = lines('GET /api HTTP/1.1', `Host: ${host}`, `Cookie: ${'a'.repeat(40_000)}`, close, '');
    expect(codesIn(await rawExchange(team.dashboard.url, bytes))).toEqual([431]);
    expect((await team.ask('/api', { headers: { cookie } })).status).toBe(200);
  });

  it('leave no token in what the server reports about errors', async () => {
    const errors: string[] = [];
    const broken = await startTeam({ onError: ({ message, cause }) => errors.push(message, String(cause)) });
    const session = await broken.signIn('token-of-ada');
    await broken.upstream.close();
    const { status, body } = await broken.ask('/api/v1/pods?access_token=token-of-ada', {
      headers: { cookie: session },
    });
    await broken.close();

    expect(status).toBe(502);
    expect(errors.length).toBeGreaterThan(0);
    expect([...errors, body.toString()].join()).not.toContain('token-of-ada');
  });
});
