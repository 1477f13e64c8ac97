import { fileURLToPath } from 'node:url';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type TestServer } from '../../../../test/sources/client/test-server.js';
import type { DashboardServer } from '../../server/dashboard-server.js';
import { startDashboard } from './exchange.js';
import { codesIn, lines, rawExchange } from './raw-exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
const key = 'the-key-of-the-test';
const close = 'Connection: close';
// Every attack has the key, so no attack fails only because it lacks the key.
const bearer = `Authorization: Bearer ${key}`;
const head = ['Host: localhost', bearer];

type Attack = readonly [what: string, bytes: string];

/** A request with the headers of a browser on this machine, except for the given ones. */
function attack(line: string, headers: readonly string[] = [], body = '', args: readonly string[] = head): Attack {
  return [`${line} ${headers.join(' ')} ${body}`, lines(`${line} HTTP/1.1`, ...args, ...headers, close, '') + body];
}

const host = (name: string, path = '/api/v1/pods'): Attack => attack(`GET ${path}`, [`Host: ${name}`], '', [bearer]);
const get = (path: string, ...headers: readonly string[]): Attack => attack(`GET ${path}`, headers);
const write = (method: string, path: string, ...headers: readonly string[]): Attack =>
  attack(`${method} ${path}`, ['Content-Length: 2', ...headers], '{}');

const pod = '/api/v1/namespaces/a/pods/b';

const families: Readonly<Record<string, { readonly codes: readonly number[]; readonly attacks: readonly Attack[] }>> = {
  'names of other hosts': {
    codes: [400, 403],
    attacks: [
      ...[
        'evil.example',
        'evil.example:8080',
        '127.0.0.1.evil.example',
        'localhost.evil.example',
        'localhost@evil.example',
        'evil.example@localhost',
        'user:pass@localhost',
        'evil.example#localhost',
        'evil.example/localhost',
        'localhost/evil.example',
        '0.0.0.0',
        '2130706433',
        '0x7f.1',
        '0177.0.0.1',
        '127.1',
        '[::ffff:127.0.0.1]',
        'localhost.',
        'localhost:8080:80',
        'localhost:port',
        'xn--lcalhost-54a',
        'localhost,evil.example',
        'evil.example\tlocalhost',
        '',
      ].map((name) => host(name)),
      host('evil.example', '/'),
      host('evil.example', `/?key=${key}`),
      ['HTTP/1.0 without a Host', lines('GET /api/v1/pods HTTP/1.0', bearer, '')],
      ['HTTP/1.1 without a Host', lines('GET /api/v1/pods HTTP/1.1', bearer, close, '')],
      attack('GET /api/v1/pods', ['Host: localhost', 'Host: evil.example'], '', [bearer]),
      attack('GET /api/v1/pods', ['Host: evil.example', 'Host: localhost'], '', [bearer]),
      attack('GET /api/v1/pods', ['Host: localhost', 'HOST: localhost'], '', [bearer]),
    ],
  },
  'other origins': {
    codes: [400, 403],
    attacks: [
      ...[
        'http://evil.example',
        'https://localhost',
        'http://localhost:3000',
        'http://127.0.0.1',
        'http://[::1]',
        'http://localhost.',
        'http://localhost@evil.example',
        'file://',
        'null',
        '',
        'chrome-extension://abc',
      ].map((origin) => get('/api/v1/pods', `Origin: ${origin}`)),
      get('/api/v1/pods', 'Origin: http://localhost', 'Origin: http://evil.example'),
      ...['cross-site', 'same-site', 'whatever'].map((site) => get('/api/v1/pods', `Sec-Fetch-Site: ${site}`)),
      get('/dashboard/info', 'Sec-Fetch-Site: cross-site'),
      get('/assets/x.js', 'Sec-Fetch-Site: same-site'),
      get('/', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'),
      get('/', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script'),
    ],
  },
  'writes where only reading is allowed': {
    codes: [400, 403, 405],
    attacks: [
      ...['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [
        write(method, '/api/v1/namespaces/a/pods'),
        write(method, pod),
        write(method, '/apis/apps/v1/namespaces/a/deployments/b/scale'),
      ]),
      write('POST', '/api/v1/namespaces/a/serviceaccounts/default/token'),
      write('POST', `${pod}/eviction`),
      write('PATCH', `${pod}/ephemeralcontainers`),
      write('PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval'),
      write('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'),
      write('POST', '/apis/authentication.k8s.io/v1/tokenreviews'),
      write('POST', pod, 'X-HTTP-Method-Override: GET'),
      write('POST', pod, 'X-HTTP-Method: GET', 'X-Method-Override: GET'),
      ...['TRACE', 'OPTIONS', 'PROPFIND', 'LINK', 'PURGE', 'MKCOL', 'SEARCH'].map((method) => write(method, pod)),
      ['a method in small letters', lines('delete /api/v1/pods HTTP/1.1', ...head, close, '')],
      ['an unknown method', lines('KILL /api/v1/pods HTTP/1.1', ...head, close, '')],
    ],
  },
  tunnels: {
    codes: [400, 403],
    attacks: [
      ...['exec', 'attach', 'portforward', 'proxy', 'proxy/', 'proxy/admin', 'exec/', 'exec?command=sh'].map((tunnel) =>
        get(`${pod}/${tunnel}`),
      ),
      get('/api/v1/nodes/n/proxy/logs/'),
      get('/api/v1/namespaces/a/services/https:web:443/proxy/'),
      get('/api/v1/proxy/nodes/n/logs/'),
      get('/api/v1/watch/namespaces/a/pods/b/exec'),
      get(`${pod}/%65xec`),
      get(`${pod}/ex%65c`),
      get('/%61pi/v1/nodes/n/proxy'),
      get('/api/v1/nodes/n%2Fproxy'),
      get('/api/v1/nodes/n/%2Fproxy'),
      get('/api/v1/nodes/n%252Fproxy'),
      get('/api/v1/nodes/n/%252e%252e/proxy'),
      get('/api/v1//nodes/n/proxy'),
      get('//api/v1/nodes/n/proxy'),
      get('/api/v1/./nodes/n/proxy'),
      get('/api/v1/pods/../nodes/n/proxy'),
      get('/api/v1/nodes/n/.%2e/n/proxy'),
      get('/api/v1/nodes/n\\proxy'),
      get('/contexts/loaded-context/api/v1/nodes/n/proxy'),
      get('/contexts/loaded-context/%61pi/v1/nodes/n/proxy'),
      get('/contexts/loaded-context%2Fapi/v1/../nodes/n/proxy'),
      attack(`POST ${pod}/exec?command=sh`, ['Content-Length: 0']),
      ['CONNECT', lines('CONNECT 127.0.0.1:22 HTTP/1.1', ...head, '')],
    ],
  },
  'other protocols': {
    codes: [400, 403],
    attacks: [
      get(`${pod}/exec`, 'Connection: Upgrade', 'Upgrade: SPDY/3.1'),
      get('/api/v1/pods?watch=true', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'),
      get('/api/v1/pods', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='),
      get(
        '/api/v1/pods?watch=true',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ),
      get(
        `${pod}/exec?watch=true`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Origin: http://localhost',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ),
      get(
        '/api/v1/pods?watch=true',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Origin: http://evil.example',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      ),
      get('/api/v1/pods', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['a TLS handshake', '\x16\x03\x01\x00\x05hello\r\n\r\n'],
    ],
  },
  'two requests in one': {
    codes: [400, 403, 405, 417],
    attacks: [
      attack(`POST ${pod}`, ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding: xchunked'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding: identity, chunked, identity'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding : chunked'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Transfer-Encoding:\x0bchunked'], '0\r\n\r\n'),
      attack(`POST ${pod}`, ['Content-Length: 2', 'Content-Length: 40'], '{}'),
      attack(`POST ${pod}`, ['Content-Length: +2'], '{}'),
      attack(`POST ${pod}`, ['Content-Length: 0x2'], '{}'),
      attack(`POST ${pod}`, ['Content-Length: -1'], '{}'),
      attack(`POST ${pod}`, ['Transfer-Encoding: chunked'], '-1\r\n\r\n'),
      attack(
        `POST ${pod}`,
        [`Content-Length: ${lines('GET /api/v1/secrets HTTP/1.1', ...head, '').length}`],
        lines('GET /api/v1/secrets HTTP/1.1', ...head, ''),
      ),
      ['lines that end with LF', `POST ${pod} HTTP/1.1\nHost: evil.example\nConnection: close\n\n`],
      ['a lone CR', `GET /api/v1/pods HTTP/1.1\r\nHost: localhost\rX: y\r\n${close}\r\n\r\n`],
      get('/api/v1/pods%0d%0aHost:%20evil.example'),
      get('/api/v1/pods%0d%0a%0d%0aGET%20/api/v1/secrets'),
      attack('GET /api/v1/pods', ['Accept: a', ' b: c']),
      attack('GET /api/v1/pods', ['X Y: 1']),
      attack('GET /api/v1/pods', ['X: a\x00b']),
      attack('GET /api/v1/pods', ['Expect: a-miracle']),
    ],
  },
  'paths that lead out': {
    codes: [400, 404],
    attacks: [
      '/../etc/passwd',
      '/../../../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/%2e%2e%2fetc%2fpasswd',
      '/..%5c..%5cetc/passwd',
      '/..\\..\\etc\\passwd',
      '/%252e%252e/etc/passwd',
      '/..%c0%afetc/passwd',
      '/..%e0%80%afetc/passwd',
      '/....//....//etc/passwd',
      '/./../etc/passwd',
      '/assets/../../etc/passwd',
      '/index.html%00.js',
      '/%00',
      '/.env',
      '/.git/config',
      '/assets/.htaccess',
      'file:///etc/passwd',
      'http://evil.example/api/v1/pods',
      'http://localhost/api/v1/pods',
      '//evil.example/api/v1/pods',
      '/api/../metrics',
      '/api/v1/pods?watch=1#x',
      '*',
    ].map((path) => get(path)),
  },
};

describe('attacks on the dashboard through raw sockets', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;

  beforeAll(async () => {
    upstream = await startServer(json({ kind: 'Status' }));
    dashboard = await startDashboard({
      kubeConfig: kubeConfigOf({ server: upstream.url }, { token: 'token' }),
      page,
      key,
    });
  });
  afterAll(async () => {
    await dashboard.close();
    await upstream.close();
  });

  it.each(Object.entries(families))('%s have no effect', async (_, { codes, attacks }) => {
    for (const [what, bytes] of attacks) {
      const answers = await rawExchange(dashboard.url, bytes);
      const refused = codesIn(answers);
      expect({
        what,
        refused: refused.every((code) => codes.includes(code)),
        upstream: upstream.requests.length,
      }).toEqual({
        what,
        refused: true,
        upstream: 0,
      });
      expect(answers).not.toMatch(/root:|"kind":"(PodList|SecretList)"|^set-cookie:|^www-authenticate:/im);
    }
  });

  it('include at least the attacks of the audit, and none of them stops the server', async () => {
    const count = Object.values(families).reduce((sum, { attacks }) => sum + attacks.length, 0);
    expect(count).toBeGreaterThanOrEqual(135);
    const answer = await rawExchange(dashboard.url, lines('GET /version HTTP/1.1', ...head, close, ''));
    expect(codesIn(answer)).toEqual([200]);
  });

  it('with the credentials and names of another user are forwarded without them', async () => {
    const before = upstream.requests.length;
    const headers = [
      'Impersonate-User: system:admin',
      'Impersonate-Group: system:masters',
      'Impersonate-Uid: 1',
      'Impersonate-Extra-scopes: all',
      'X-Remote-User: admin',
      'X-Remote-Group: system:masters',
      'X-Forwarded-For: 10.0.0.1',
      'X-Forwarded-Client-Cert: x',
      'Proxy-Authorization: Basic abc',
      'Cookie: session=1',
      'X-HTTP-Method-Override: DELETE',
    ];
    const body = '{"a":1}';
    const request = attack('GET /api/v1/pods', [...headers, `Content-Length: ${body.length}`], body);
    expect(codesIn(await rawExchange(dashboard.url, request[1]))).toEqual([200]);

    const [sent] = upstream.requests.slice(before);
    expect(Object.keys(sent?.headers ?? {}).sort()).toEqual([
      'accept-encoding',
      'authorization',
      'connection',
      'host',
      'user-agent',
    ]);
    expect([sent?.method, sent?.headers.authorization, sent?.body]).toEqual(['GET', 'Bearer token', '']);
  });

  it('without the key return nothing of the cluster, with any header that might replace it', async () => {
    const before = upstream.requests.length;
    const port = new URL(dashboard.url).port;
    const tries = [
      [],
      [`Authorization: Basic ${Buffer.from(`x:${key}`).toString('base64')}`],
      [`Authorization: ${key}`],
      [`Authorization: bearer${key}`],
      [`Cookie: key=${key}`],
      [`Cookie: rx-informers-dashboard-${port}="${key}"`],
      [`Cookie: rx-informers-dashboard-${port}=${key.slice(0, -1)}`],
      [`Cookie: rx-informers-dashboard-1=${key}`],
      [`X-Key: ${key}`],
      [`Referer: http://localhost/?key=${key}`],
    ];
    for (const headers of tries) {
      const request = attack(`GET /api/v1/pods?key=${key}`, headers, '', ['Host: localhost']);
      expect([headers, codesIn(await rawExchange(dashboard.url, request[1]))]).toEqual([headers, [401]]);
    }
    expect(upstream.requests.length).toBe(before);
  });
});
