import { constants, deflateRawSync } from 'node:zlib';
import { aPod } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { until } from '../../../../test/support/until.js';
import { secretContent, startHubTeam, whenReceived, type HubTeam, type HubViewer } from './hub-team.js';
import { codesIn, lines, rawExchange } from './raw-exchange.js';
import { host, origin } from './team.js';
import { closed, flood, fragmentsOf, frame, memoryGrowthDuring, rawSocket } from './web-socket-frames.js';

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];
const close = 'Connection: close';

type Handshake = (cookie: string) => string;

const handshake =
  (name: string, headers: readonly string[], line = 'GET /hub'): Handshake =>
  (cookie) =>
    lines(`${line} HTTP/1.1`, `Host: ${name}`, `Cookie: ${cookie}`, ...headers, '');
const own = `Origin: ${origin}`;

/** Handshakes with the cookie of a viewer, as the browser of that viewer would send them. */
const handshakes: Readonly<Record<string, readonly Handshake[]>> = {
  'from another site': [
    'https://evil.example',
    `http://${host}`,
    `https://${host}:8443`,
    `https://a.${host}`,
    `https://${host}.evil.example`,
    `${origin}/`,
    'null',
    'file://',
    '',
  ].map((other) => handshake(host, [...upgrade, `Origin: ${other}`])),
  'from another site, as the browser itself reports': ['cross-site', 'same-site', 'whatever'].map((site) =>
    handshake(host, [...upgrade, own, `Sec-Fetch-Site: ${site}`]),
  ),
  'without an origin': [handshake(host, upgrade), handshake(host, [...upgrade, 'Sec-Fetch-Site: same-origin'])],
  'with two origins': [handshake(host, [...upgrade, own, 'Origin: https://evil.example'])],
  'for another host (DNS rebinding)': [
    'evil.example',
    'localhost',
    '127.0.0.1',
    `${host}.evil.example`,
    `${host}:8080`,
    `${host}.`,
    '',
  ].map((name) => handshake(name, [...upgrade, own])),
  'for two hosts': [
    handshake(host, [...upgrade, own, 'Host: evil.example']),
    handshake('evil.example', [...upgrade, own, `Host: ${host}`]),
    handshake(host, [...upgrade, own, `HOST: ${host}`]),
  ],
  'for another path that looks like the hub': [
    'GET /hub/',
    'GET //hub',
    'GET /hub/x',
    'GET /%68ub',
    'GET /x/../hub',
    'GET /HUB',
    'GET /contexts/a/hub',
    'POST /hub',
    'HEAD /hub',
  ].map((line) => handshake(host, [...upgrade, own], line)),
  'to another protocol': [
    handshake(host, ['Connection: Upgrade', 'Upgrade: SPDY/3.1', own]),
    handshake(host, ['Connection: Upgrade', 'Upgrade: h2c', own]),
  ],
};

describe('attacks on the hub of the dashboard', () => {
  let team: HubTeam;
  let cookie: string;

  beforeAll(async () => {
    team = await startHubTeam();
    cookie = await team.signIn('token-of-ada');
  });
  afterAll(() => team.close());

  /** Opens the socket of a viewer. */
  async function opened(headers: Readonly<Record<string, string>> = {}): Promise<HubViewer> {
    const viewer = team.socket(cookie, headers);
    await viewer.settled;
    expect(viewer.refusal).toBeUndefined();
    return viewer;
  }

  /** Returns the handshake of the viewer's browser. */
  const headOf = (headers: readonly string[] = []): string => handshake(host, [...upgrade, own, ...headers])(cookie);

  /** Checks that the hub still serves the viewer. */
  async function expectService(): Promise<void> {
    const viewer = await opened();
    viewer.subscribe(1, 'pods');
    await whenReceived(viewer, 'part', 1);
    expect(viewer.text).toContain('of-shop');
    viewer.socket.terminate();
  }

  it.each(Object.entries(handshakes))('handshakes %s are refused, although they have a cookie', async (_, attacks) => {
    for (const attack of attacks) {
      const bytes = attack(cookie);
      const codes = codesIn(await rawExchange(team.dashboard.url, bytes));
      const what = bytes.replace(cookie, '…');
      expect([what, codes.length > 0, codes.every((code) => code >= 400 && code < 500)]).toEqual([what, true, true]);
    }
    await expectService();
  });

  it.each<[string, readonly string[]]>([
    ['no cookie', []],
    ['an empty cookie', ['Cookie: ']],
    ['the token in a header', ['Authorization: Bearer token-of-ada']],
    [
      'the token in Sec-WebSocket-Protocol',
      ['Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.dG9rZW4tb2YtYWRh'],
    ],
    ['the identity headers of a proxy', ['X-Remote-User: ada', 'X-Forwarded-User: ada', 'X-Remote-Group: a']],
    ['the headers of an impersonation', ['Impersonate-User: ada', 'Impersonate-Group: system:masters']],
    ['a client certificate of a proxy', ['X-Forwarded-Client-Cert: Subject="CN=ada"']],
  ])('a handshake with %s instead of a session is refused with 401', async (_, headers) => {
    const bytes = lines('GET /hub HTTP/1.1', `Host: ${host}`, ...upgrade, own, ...headers, close, '');
    expect(codesIn(await rawExchange(team.dashboard.url, bytes))).toEqual([401]);
  });

  it('a handshake with a token in the address is refused with 401', async () => {
    const line = 'GET /hub?token=token-of-ada&access_token=token-of-ada HTTP/1.1';
    const bytes = lines(line, `Host: ${host}`, ...upgrade, own, '');
    expect(codesIn(await rawExchange(team.dashboard.url, bytes))).toEqual([401]);
  });

  it('the cookie of another server, or a changed one, is refused with 401', async () => {
    const other = await startHubTeam();
    const foreign = await other.signIn('token-of-ada');
    await other.close();
    for (const wrong of [foreign, cookie.replace(/.{3}(;|$)/, 'AAA$1'), `${cookie}; ${cookie}`]) {
      const viewer = team.socket(wrong);
      await viewer.settled;
      expect(viewer.refusal).toBe(401);
    }
  });

  it('identity headers beside a session have no effect', async () => {
    const viewer = await opened({
      authorization: 'Bearer token-of-grace',
      'x-remote-user': 'grace',
      'x-forwarded-user': 'grace',
      'x-remote-group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'impersonate-user': 'system:admin',
      'impersonate-group': 'system:masters',
    });
    const before = team.requests.length;
    viewer.subscribe(1, 'pods');
    viewer.subscribe(2, 'pods', { namespaces: ['lab'] });
    await whenReceived(viewer, 'part', 1);
    await whenReceived(viewer, 'ended', 2);
    expect(viewer.received.find(({ id, type }) => id === 2 && type === 'ended')?.reason).toBe('forbidden');
    expect(viewer.text).not.toContain('of-lab');
    expect(team.requests.slice(before).some((request) => request.startsWith('token-of-grace'))).toBe(false);
    viewer.socket.terminate();
  });

  it.each<[string, (viewer: HubViewer) => void]>([
    ['a frame that is too large', ({ socket }) => socket.send('x'.repeat(20_000))],
    ['a binary frame', ({ socket }) => socket.send(Buffer.from('{"type":"alive"}'))],
    ['no JSON', ({ socket }) => socket.send('hello')],
    ['deep JSON', ({ socket }) => socket.send('['.repeat(16_000))],
    ['a request before hello', (viewer) => viewer.send({ type: 'subscribe', id: 1 })],
  ])('%s closes the socket', async (_, attack) => {
    const viewer = await opened();
    attack(viewer);
    await until(() => viewer.isClosed);
    await expectService();
  });

  it('a compressed frame that expands to a gigabyte closes the socket, and costs no memory', async () => {
    // A megabyte of zeros has about a kilobyte when it is compressed. The same block is repeated.
    const zeros = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH });
    const bomb = Buffer.concat(Array.from({ length: 1024 }, () => zeros));
    const small = bomb.subarray(0, 15 * 1024);
    const memory = await memoryGrowthDuring(async () => {
      for (const frames of [
        [frame(bomb, { isCompressed: true })],
        [frame(small, { isCompressed: true })],
        fragmentsOf(bomb, 1024),
        fragmentsOf(small, 100),
      ]) {
        const socket = await rawSocket(team.dashboard.url, headOf(['Sec-WebSocket-Extensions: permessage-deflate']));
        for (const bytes of frames) if (!socket.destroyed) socket.write(bytes);
        await closed(socket);
      }
    });
    expect(bomb.length).toBeGreaterThan(1_000_000);
    expect(memory).toBeLessThan(128);
    await expectService();
  });

  it('a million small frames close the socket, and cost no memory', async () => {
    const socket = await rawSocket(team.dashboard.url, headOf());
    const hello = frame(Buffer.from('{"type":"hello","protocol":1}'));
    const alive = frame(Buffer.from('{"type":"alive"}'));
    const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => alive));
    socket.write(hello);
    const memory = await memoryGrowthDuring(() => flood(socket, thousand, 1_000));
    expect(memory).toBeLessThan(128);
    await expectService();
  });

  it('a million pings close the socket, and cost no memory', async () => {
    const socket = await rawSocket(team.dashboard.url, headOf());
    const thousand = Buffer.concat(Array.from({ length: 1_000 }, () => frame(Buffer.alloc(0), { opcode: 9 })));
    const memory = await memoryGrowthDuring(() => flood(socket, thousand, 1_000));
    expect(memory).toBeLessThan(128);
    await expectService();
  });

  it('a reader that takes nothing is dropped, and costs no more memory than its window', async () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.maxFrames = 0;
    const slow = await startHubTeam({ scheduler });
    // 64 MB in 64 objects.
    const annotations = { text: 'x'.repeat(1024 * 1024) };
    slow.api.apply(
      Array.from({ length: 64 }, (_, index) => aPod({ name: `large-${index}`, namespace: 'shop', annotations })),
    );
    const viewer = slow.socket(await slow.signIn('token-of-ada'));
    await viewer.settled;
    pass(scheduler, 1_000);
    viewer.subscribe(1, 'pods');
    await until(() => {
      pass(scheduler, 10);
      return viewer.received.some(({ type }) => type === 'opened');
    });
    viewer.socket.pause();
    const memory = await memoryGrowthDuring(() =>
      until(() => {
        pass(scheduler, 1_000);
        return scheduler.now() > 120_000;
      }),
    );
    expect(memory).toBeLessThan(128);
    viewer.socket.resume();
    await until(() => viewer.isClosed);
    expect(viewer.text.length).toBeLessThan(4 * 1024 * 1024);
    await slow.close();
  });

  /** Every way to name Secrets, or to reach them through another kind or another field. */
  const secretKinds: readonly (readonly [group: unknown, version: unknown, plural: unknown])[] = [
    ['', 'v1', 'secrets'],
    ['', 'v1', 'Secrets'],
    ['', 'v1', 'SECRETS'],
    ['', 'v1', 'secret'],
    ['', 'v1', ' secrets'],
    ['', 'v1', 'secrets '],
    ['', 'v1', 'secrets/'],
    ['', 'v1', '/secrets'],
    ['', 'v1', 'secrets/plans'],
    ['', 'v1', 'secrets/status'],
    ['', 'v1', 'secrets?watch=true'],
    ['', 'v1', 'secrets#'],
    ['', 'v1', 'secrets%00'],
    ['', 'v1', 'secrets\u0000'],
    ['', 'v1', '%73ecrets'],
    ['', 'v1', 's%65crets'],
    ['', 'v1', 'pods/../secrets'],
    ['', 'v1', 'pods,secrets'],
    ['', 'v1', '../secrets'],
    ['', 'v1', './secrets'],
    ['', 'v1', 'namespaces/shop/secrets'],
    ['', 'v1', 'watch/secrets'],
    ['', 'v1', 'ѕecrets'],
    ['', 'v1', 'ｓecrets'],
    ['', 'v1', 'secrets\u200b'],
    ['', 'v1', '*'],
    ['', 'v1', ''],
    ['', 'v1', 'configmaps'],
    ['', 'v1', 'serviceaccounts'],
    ['', 'v1/secrets', ''],
    ['', 'v1/namespaces/shop', 'secrets'],
    ['', 'v1/watch', 'secrets'],
    ['', '*', 'secrets'],
    ['', '', 'secrets'],
    ['', 'v2', 'secrets'],
    ['', 'V1', 'secrets'],
    ['*', 'v1', 'secrets'],
    ['core', 'v1', 'secrets'],
    ['v1', '', 'secrets'],
    ['api', 'v1', 'secrets'],
    ['..', 'v1', 'secrets'],
    ['apps/../../api', 'v1', 'secrets'],
    ['apps', 'v1', 'secrets'],
    ['apps', 'v1', '../../../api/v1/secrets'],
  ];

  it.each(secretKinds)('a request for Secrets as %j %j %j is refused', async (group, version, plural) => {
    const viewer = await opened();
    const before = team.requests.length;
    viewer.subscribe(1, 'pods', { resource: { group, version, plural } });
    await until(() => viewer.received.some(({ reason }) => reason === 'not-served'));
    expect(team.requests.slice(before).some((request) => request.includes('secret'))).toBe(false);
    viewer.socket.terminate();
  });

  it.each<[string, object]>([
    ['a list instead of a name', { resource: { group: '', version: 'v1', plural: ['secrets'] } }],
    ['an object instead of a name', { resource: { group: '', version: 'v1', plural: { toString: 'secrets' } } }],
    ['a prototype', { resource: { ['__proto__']: { group: '', version: 'v1', plural: 'secrets' } } }],
    ['a path as the namespace', { namespaces: ['shop/secrets'] }],
    ['a path upwards as the namespace', { namespaces: ['../../api/v1/secrets'] }],
    ['a query as the namespace', { namespaces: ['shop?resource=secrets'] }],
    ['an encoded slash in the namespace', { namespaces: ['shop%2Fsecrets'] }],
  ])('a request that hides Secrets in %s closes the socket', async (_, change) => {
    const viewer = await opened();
    viewer.subscribe(1, 'pods', change);
    await until(() => viewer.isClosed);
    expect(viewer.received.at(-1)).toMatchObject({ type: 'closed', reason: 'protocol' });
  });

  it('no request for a served kind returns a Secret, with any selector, and with a right to read Secrets', async () => {
    const viewer = await opened();
    viewer.subscribe(1, 'pods', { fieldSelector: 'metadata.name=plans' });
    viewer.subscribe(2, 'pods', { labelSelector: 'kind=Secret' });
    viewer.subscribe(3, 'pods', { isWhole: true });
    viewer.subscribe(4, 'pods', { fieldSelector: 'data.plan!=x' });
    await whenReceived(viewer, 'part', 3);
    await whenReceived(viewer, 'ended', 4);
    const encoded = Buffer.from(secretContent).toString('base64');
    expect(viewer.text.includes('plans') || viewer.text.includes(encoded)).toBe(false);
    expect(team.requests.some((request) => request.endsWith('/secrets'))).toBe(false);
    viewer.socket.terminate();
  });
});

/** Advances the clock of a server. */
function pass(scheduler: VirtualTimeScheduler, milliseconds: number): void {
  // Without a timer of its own, an idle scheduler would not advance.
  scheduler.schedule(() => undefined, milliseconds);
  scheduler.maxFrames += milliseconds;
  scheduler.flush();
}
