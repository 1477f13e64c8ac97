import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type Answer, type TestServer } from '../../../../test/sources/client/test-server.js';
import { until } from '../../../../test/support/until.js';
import type { DashboardServer } from '../../server/dashboard-server.js';
import { exchange, open, startDashboard, statusIn } from './exchange.js';
import { codesIn, lines, rawExchange } from './raw-exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
// With the key, so no request is refused only because it lacks the key.
const host = 'Host: localhost\r\nAuthorization: Bearer key';
const close = 'Connection: close';

describe('the server of the dashboard with bytes that no browser sends', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;
  let answer: Answer;

  beforeEach(async () => {
    upstream = await startServer((request, response) => {
      answer(request, response);
    });
    answer = json({});
    dashboard = await startDashboard({
      kubeConfig: kubeConfigOf({ server: upstream.url }, { token: 'token' }),
      page,
      allowWrites: true,
      key: 'key',
    });
  });
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  it.each<[string, readonly string[], number]>([
    ['no Host', ['GET /api HTTP/1.1', close, ''], 400],
    ['no Host with HTTP/1.0', ['GET /api HTTP/1.0', ''], 403],
    ['two Hosts, one of them the right one', ['GET /api HTTP/1.1', 'Host: evil.example', host, close, ''], 400],
    ['the Origin null', ['GET /api HTTP/1.1', host, 'Origin: null', close, ''], 403],
    [
      'two origins',
      ['GET /api HTTP/1.1', host, 'Origin: http://localhost', 'Origin: http://evil.example', close, ''],
      403,
    ],
    ['another server in the request line', ['GET http://localhost/api HTTP/1.1', host, close, ''], 400],
    ['a backslash instead of a slash', ['GET /api\\..\\metrics HTTP/1.1', host, close, ''], 400],
    ['a query that is not encoded', ['GET /api?fieldSelector=\xe9 HTTP/1.1', host, close, ''], 400],
    ['a fragment', ['GET /api?watch=1#x HTTP/1.1', host, close, ''], 400],
    ['TRACE', ['TRACE /api HTTP/1.1', host, close, ''], 405],
    [
      'an upgrade to WebSocket',
      ['GET /api HTTP/1.1', host, 'Connection: Upgrade, close', 'Upgrade: websocket', ''],
      403,
    ],
    [
      'an upgrade to HTTP/2',
      [
        'GET /api HTTP/1.1',
        host,
        'Connection: Upgrade, HTTP2-Settings, close',
        'Upgrade: h2c',
        'HTTP2-Settings: A',
        '',
      ],
      403,
    ],
    [
      'two content lengths',
      ['POST /api HTTP/1.1', host, close, 'Content-Length: 2', 'Content-Length: 3', '', '{}'],
      400,
    ],
    [
      'a content length and chunks',
      ['POST /api HTTP/1.1', host, close, 'Content-Length: 4', 'Transfer-Encoding: chunked', '', '0', ''],
      400,
    ],
    [
      'a transfer encoding that hides chunks',
      ['POST /api HTTP/1.1', host, close, 'Transfer-Encoding: chunked, identity', '', '0', ''],
      400,
    ],
    ['a space before the colon of a header', ['POST /api HTTP/1.1', host, close, 'Content-Length : 2', '', '{}'], 400],
    ['a folded header', ['GET /api HTTP/1.1', host, 'Accept: a', ' b: c', close, ''], 400],
    ['a lone carriage return in a header', ['GET /api HTTP/1.1', host, 'Accept: a\rCookie: b', close, ''], 400],
    ['headers of 64 kB', ['GET /api HTTP/1.1', host, `Accept: ${'a'.repeat(65_536)}`, close, ''], 431],
    ['10,000 headers', ['GET /api HTTP/1.1', host, ...Array<string>(10_000).fill('A: b'), close, ''], 431],
    ['an unknown Expect header', ['GET /api HTTP/1.1', host, close, 'Expect: a-miracle', ''], 417],
    ['a request that is not HTTP', ['\x16\x03\x01\x02'], 400],
  ])('refuses %s, and forwards nothing', async (_, request, code) => {
    expect(codesIn(await rawExchange(dashboard.url, lines(...request)))).toEqual([code]);

    expect(upstream.requests).toEqual([]);
    expect((await exchange(dashboard.url, '/version')).status).toBe(200);
  });

  it('closes the connection if a tunnel is requested', async () => {
    expect(await rawExchange(dashboard.url, lines('CONNECT 127.0.0.1:22 HTTP/1.1', host, ''))).toBe('');
    expect(upstream.accepted).toBe(0);
  });

  it('does not parse the content of a body as the next request', async () => {
    const hidden = lines('GET /api/v1/secrets HTTP/1.1', host, '');
    const length = `Content-Length: ${hidden.length}`;
    const first = lines('GET /api HTTP/1.1', host, length, '') + hidden;
    const second = lines('GET /apis HTTP/1.1', host, length, close, '') + hidden;

    expect(codesIn(await rawExchange(dashboard.url, first + second))).toEqual([200, 200]);
    expect(upstream.requests.map(({ url, body }) => [url, body])).toEqual([
      ['/api', ''],
      ['/apis', ''],
    ]);
  });

  it('responds to pipelined requests in their order', async () => {
    const requests = ['/api', '/apis', '/metrics', '/version'].map((path) => lines(`GET ${path} HTTP/1.1`, host, ''));
    const answers = await rawExchange(dashboard.url, requests.join('') + lines('GET /../x HTTP/1.1', host, close, ''));

    expect(codesIn(answers)).toEqual([200, 200, 404, 200, 400]);
  });

  it('ends a watch whose reader closes its side of the connection', async () => {
    answer = (_, response) => {
      response.writeHead(200).flushHeaders();
    };
    const watching = connect({ host: '127.0.0.1', port: Number(new URL(dashboard.url).port), allowHalfOpen: true });
    watching.write(lines('GET /api/v1/pods?watch=1 HTTP/1.1', host, ''));
    await until(() => upstream.open === 1);

    watching.end();

    await until(() => upstream.open === 0);
    expect(upstream.requests).toHaveLength(1);
    watching.destroy();
  });

  it('responds while a thousand other connections are idle', async () => {
    const { port } = new URL(dashboard.url);
    const silent = Array.from({ length: 1000 }, () => connect({ host: '127.0.0.1', port: Number(port) }));
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));

    expect((await exchange(dashboard.url, '/api')).status).toBe(200);
    expect(upstream.accepted).toBe(1);

    // A connection that the server has not accepted yet is reset when it closes, the others are
    // ended.
    const ended = silent.map(
      (socket) =>
        new Promise((resolve) =>
          socket
            .on('error', () => undefined)
            .once('close', resolve)
            .resume(),
        ),
    );
    await dashboard.close();
    await Promise.all(ended);
  });
});

describe('the server of the dashboard with bytes that no API server sends', () => {
  let upstream: Server;
  let dashboard: DashboardServer;
  const sockets: Socket[] = [];

  async function start(answer: string): Promise<void> {
    upstream = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(answer, 'latin1'));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    dashboard = await startDashboard({ kubeConfig: kubeConfigOf({ server }), page });
  }

  afterEach(async () => {
    await dashboard.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => upstream.close(resolve));
  });

  it.each([
    [
      'an upgrade that was not requested',
      lines('HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: x', ''),
    ],
    ['a status below 100', lines('HTTP/1.1 099 Odd', 'Content-Length: 0', '')],
    ['a response that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['headers of 64 kB', lines('HTTP/1.1 200 OK', `Warning: ${'a'.repeat(65_536)}`, '')],
    [
      'a content length and chunks',
      lines('HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked', '', '0', ''),
    ],
  ])('responds with a 502 if it receives %s', async (_, answer) => {
    await start(answer);

    expect(statusIn(await exchange(dashboard.url, '/api'))).toMatchObject({ kind: 'Status', code: 502 });
  });

  it('does not forward unknown headers and trailers', async () => {
    await start(
      lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Trailer: Set-Cookie', 'X-Odd: \xe9', 'Link: </x>', '') +
        lines('2', '{}', '0', 'Set-Cookie: a=b', ''),
    );
    const answer = await open(dashboard.url, '/api');

    expect(String(Buffer.concat(await answer.toArray()))).toBe('{}');
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['x-odd', 'link', 'trailer']));
    expect(answer.trailers).toEqual({});
  });

  it('aborts a response that becomes invalid', async () => {
    await start(lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', '2', '{}', 'nonsense'));
    const answer = await open(dashboard.url, '/api');

    await expect(answer.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
