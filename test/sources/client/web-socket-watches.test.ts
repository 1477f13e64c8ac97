import { fetchClient, listWatch, pods, informer, type KubeClient } from 'rx-informers';
import {
  webSocketWatches,
  type KubeRequest,
  type ResponsePart,
  type WatchSocket,
  type WatchSocketClose,
} from 'rx-informers/client';
import { aPod, createApiServer, serverFaults, virtualClock, type ApiServer } from 'rx-informers/testing';
import { filter, firstValueFrom, type Subscription } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { openNodeWebSocket, openState, type NodeWebSocket } from '../../support/node-web-socket.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { until } from '../../support/until.js';
import { failureOf } from './exchanges.js';

const watchPods: KubeRequest = {
  method: 'GET',
  path: '/api/v1/pods',
  query: { watch: true },
  headers: { accept: 'application/json' },
};

/** A WebSocket that the test controls. */
class ScriptedSocket implements WatchSocket {
  binaryType: BinaryType = 'blob';
  closedWith: number | undefined;
  private readonly listeners = new Map<string, (event: never) => void>();
  constructor(
    readonly url: string,
    readonly protocols: readonly string[],
  ) {}
  addEventListener(type: string, listener: (event: never) => void): void {
    this.listeners.set(type, listener);
  }
  close(code?: number): void {
    this.closedWith = code;
  }
  private dispatch(type: string, event: unknown = {}): void {
    this.listeners.get(type)?.(event as never);
  }
  open(): void {
    this.dispatch('open');
  }
  message(data: unknown): void {
    this.dispatch('message', { data });
  }
  end(close: Partial<WatchSocketClose> = {}): void {
    const event = { code: 1000, reason: '', wasClean: true, ...close };
    if (!event.wasClean) this.dispatch('error');
    this.dispatch('close', event);
  }
}

/** The emissions of a watch, as text. */
function notify(
  client: KubeClient,
  request: KubeRequest = watchPods,
): { received: string[]; subscription: Subscription } {
  const received: string[] = [];
  const subscription = client.exchange(request).subscribe({
    next: (part) => received.push(textOf(part)),
    error: (error: unknown) => received.push(error instanceof Error ? `${error.name}: ${error.message}` : 'unknown'),
    complete: () => received.push('complete'),
  });
  return { received, subscription };
}

function textOf(part: ResponsePart): string {
  return part.type === 'head' ? `head ${part.status}` : new TextDecoder().decode(part.bytes);
}

interface Stage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly baseUrl?: string;
}

/** A client with scripted WebSockets, and a `fetch` that answers with `status`. */
function stage({ status = 200, headers = {}, baseUrl = 'http://cluster:8001/k8s' }: Stage = {}) {
  const sockets: ScriptedSocket[] = [];
  const fetched: string[] = [];
  const clock = virtualClock();
  const open = (url: string, protocols: string[]): WatchSocket => {
    const socket = new ScriptedSocket(url, protocols);
    sockets.push(socket);
    return socket;
  };
  const client = fetchClient({
    baseUrl,
    headers,
    scheduler: clock,
    watches: webSocketWatches({ open }),
    fetch: (url) => {
      fetched.push(url as string);
      const body = status < 400 ? 'by fetch\n' : JSON.stringify({ kind: 'Status', code: status, message: 'refused' });
      return Promise.resolve(new Response(body, { status }));
    },
  });
  /** Waits until this many WebSockets were created since the start. */
  const created = (count: number): Promise<void> => until(() => sockets.length === count);
  return { client, sockets, created, fetched, clock };
}

describe('webSocketWatches', () => {
  it('sends a watch over a WebSocket to the same URL, and every other request by fetch', async () => {
    const { client, sockets, fetched } = stage();
    notify(client);
    notify(client, { method: 'GET', path: '/api/v1/pods' });
    notify(client, { ...watchPods, query: { watch: false } });
    await until(() => sockets.length + fetched.length === 3);

    expect(sockets.map(({ url, protocols }) => [url, protocols])).toEqual([
      ['ws://cluster:8001/k8s/api/v1/pods?watch=true', []],
    ]);
    expect(fetched).toEqual(['http://cluster:8001/k8s/api/v1/pods', 'http://cluster:8001/k8s/api/v1/pods?watch=false']);
  });

  it('uses TLS if the server does', async () => {
    const { client, sockets, created } = stage({ baseUrl: 'https://cluster' });
    notify(client);
    await created(1);

    expect(sockets[0]?.url).toBe('wss://cluster/api/v1/pods?watch=true');
  });

  it('emits a head, then the bytes of each message unchanged, text or binary: an event may be split', async () => {
    const { client, sockets, created, clock } = stage();
    const { received } = notify(client);
    await created(1);
    const [socket] = sockets;
    expect(socket?.binaryType).toBe('arraybuffer');
    socket?.open();
    clock.advance(60_000);
    socket?.message('{"type":"ADDED"}\n');
    socket?.message('');
    socket?.message('{"type":');
    socket?.message(Uint8Array.from(Buffer.from('"é"}\n')).buffer);
    socket?.end();

    expect(received).toEqual(['head 200', '{"type":"ADDED"}\n', '{"type":', '"é"}\n', 'complete']);
  });

  it.each([
    [{ code: 1000 }, 'complete'],
    [{ code: 1001 }, 'complete'],
    [{ code: 1005 }, 'complete'],
    [{ code: 1006, wasClean: false }, 'the WebSocket was closed with code 1006'],
    [{ code: 1000, wasClean: false }, 'the WebSocket was closed with code 1000'],
    [{ code: 1011, reason: 'no upstream' }, 'the WebSocket was closed with code 1011: no upstream'],
  ])('handles a WebSocket that is closed with %j: %s', async (close, outcome) => {
    const { client, sockets, created, fetched } = stage();
    const { received } = notify(client);
    await created(1);
    sockets[0]?.open();
    sockets[0]?.end(close);

    const expected = outcome === 'complete' ? outcome : `RXI_CONNECTION: GET /api/v1/pods: ${outcome}`;
    expect(received).toEqual(['head 200', expected]);
    expect(fetched).toEqual([]);
  });

  it('G8: closes the WebSocket when its subscriber unsubscribes, open or not, and emits nothing afterwards', async () => {
    const { client, sockets, created, fetched, clock } = stage();
    const opening = notify(client);
    const open = notify(client);
    await created(2);
    sockets[1]?.open();
    opening.subscription.unsubscribe();
    open.subscription.unsubscribe();
    expect(sockets.map(({ closedWith }) => closedWith)).toEqual([1000, 1000]);

    sockets[0]?.open();
    for (const socket of sockets) {
      socket.message('{}\n');
      socket.end({ code: 1006, wasClean: false });
    }
    clock.advance(60_000);
    await promisesSettled();
    expect(opening.received).toEqual([]);
    expect(open.received).toEqual(['head 200']);
    expect(fetched).toEqual([]);
  });

  it('requests by fetch the reason for a refused upgrade, and tries a WebSocket again the next time', async () => {
    const { client, sockets, created } = stage({ status: 403 });
    const failure = failureOf(client.exchange(watchPods), 'RXI_STATUS');
    await created(1);
    sockets[0]?.end({ code: 1006, wasClean: false });
    expect((await failure).statusCode).toBe(403);

    notify(client);
    await created(2);
  });

  it('uses fetch permanently if fetch succeeds and no WebSocket has ever opened', async () => {
    const { client, sockets, created, fetched } = stage();
    const { received } = notify(client);
    await created(1);
    sockets[0]?.end({ code: 1006, wasClean: false });
    await until(() => received.includes('complete'));
    expect(received).toEqual(['head 200', 'by fetch\n', 'complete']);

    notify(client);
    await until(() => sockets.length + fetched.length === 3);
    expect(sockets.length).toBe(1);
    expect(fetched.length).toBe(2);
  });

  it('keeps using WebSockets after a refusal if one has opened before', async () => {
    const { client, sockets, created } = stage();
    notify(client);
    const { received } = notify(client);
    await created(2);
    sockets[0]?.open();
    sockets[1]?.end({ code: 1006, wasClean: false });
    await until(() => received.includes('complete'));
    expect(received).toEqual(['head 200', 'by fetch\n', 'complete']);

    notify(client);
    await created(3);
  });

  it('uses fetch if a WebSocket does not open in time, and ignores it if it opens later', async () => {
    const { client, sockets, created, clock } = stage();
    const { received } = notify(client);
    await created(1);
    clock.advance(9_999);
    expect(sockets[0]?.closedWith).toBeUndefined();
    clock.advance(1);
    expect(sockets[0]?.closedWith).toBe(1000);
    sockets[0]?.open();
    sockets[0]?.message('late\n');
    sockets[0]?.end();
    await until(() => received.includes('complete'));

    expect(received).toEqual(['head 200', 'by fetch\n', 'complete']);
  });

  it('uses fetch if creating a WebSocket is forbidden', async () => {
    const watches = webSocketWatches({
      open: () => {
        throw new DOMException('insecure', 'SecurityError');
      },
    });
    const fetch = (): Promise<Response> => Promise.resolve(new Response('by fetch\n'));
    const { received } = notify(fetchClient({ baseUrl: 'http://cluster', fetch, watches }));
    await until(() => received.includes('complete'));

    expect(received).toEqual(['head 200', 'by fetch\n', 'complete']);
  });

  it('sends a bearer token as a subprotocol, in base64url without padding, and a second subprotocol', async () => {
    const { client, sockets, created } = stage({ headers: { Authorization: 'Bearer a?>~token' } });
    notify(client);
    await created(1);

    const encoded = Buffer.from('a?>~token').toString('base64url');
    expect(sockets[0]?.protocols).toEqual([`base64url.bearer.authorization.k8s.io.${encoded}`, 'binary.k8s.io']);
  });

  it.each([
    ['metadata only', { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' }],
    ['protobuf', { accept: 'application/vnd.kubernetes.protobuf' }],
    ['impersonation', { 'impersonate-user': 'jane' }],
    ['a password', { authorization: 'Basic amFuZTpzZWNyZXQ=' }],
  ])('sends a watch by fetch that needs a header which WebSockets do not support: %s', async (_, headers) => {
    const { client, sockets, fetched } = stage();
    notify(client, { ...watchPods, headers });
    await until(() => sockets.length + fetched.length === 1);

    expect(sockets).toEqual([]);
    expect(fetched.length).toBe(1);
  });

  it('opens a WebSocket for a content type that only leaves fields out', async () => {
    const { client, sockets, fetched } = stage();
    notify(client, {
      ...watchPods,
      headers: { accept: 'application/json;drop=metadata.managedFields,application/json' },
    });
    await until(() => sockets.length + fetched.length === 1);

    expect(sockets.length).toBe(1);
  });
});

describe('a watch over a WebSocket of the embedded API server', () => {
  let server: ApiServer;
  let opened: NodeWebSocket[] = [];
  afterEach(() => server.close());

  function connect(headers: Record<string, string> = {}): KubeClient {
    const own: NodeWebSocket[] = [];
    opened = own;
    const open = (url: string, protocols: string[]): WatchSocket => {
      const socket = openNodeWebSocket(url, protocols);
      own.push(socket);
      return socket;
    };
    return fetchClient({ baseUrl: server.url, headers, watches: webSocketWatches({ open }) });
  }

  it('fills an informer and keeps it live', async () => {
    server = await createApiServer();
    server.apply(aPod({ name: 'before' }));
    const followed = informer(listWatch(connect(), pods));
    const subscription = followed.connect();
    await followed.whenSynced();
    expect(followed.keys()).toEqual(['default/before']);

    server.apply(aPod({ name: 'after' }));
    await firstValueFrom(followed.get$('default/after').pipe(filter((pod) => pod !== undefined)));
    expect(opened.map(({ readyState }) => readyState)).toEqual([openState]);
    subscription.unsubscribe();
  });

  it('emits the same bytes as by fetch, until its timeout', async () => {
    server = await createApiServer();
    server.apply([aPod({ name: 'a' }), aPod({ name: 'b', annotations: { greeting: 'grüß dich' } })]);
    const request = { ...watchPods, query: { watch: true, timeoutSeconds: 1 } };
    const read = async (client: KubeClient): Promise<string> => {
      const { received, subscription } = notify(client, request);
      await new Promise<void>((resolve) => {
        subscription.add(resolve);
      });
      return received.join('');
    };
    const [bySocket, byFetch] = await Promise.all([read(connect()), read(fetchClient({ baseUrl: server.url }))]);

    expect(opened.length).toBe(1);
    expect(bySocket).toBe(byFetch);
    expect(bySocket).toContain('"ADDED"');
    expect(bySocket).toMatch(/complete$/);
  });

  it('breaks with an RXI_CONNECTION when the connection is cut', async () => {
    server = await createApiServer();
    const { received, subscription } = notify(connect());
    const ended = new Promise<void>((resolve) => {
      subscription.add(resolve);
    });
    await until(() => received.length > 0);
    server.restart();
    await ended;

    expect(received).toEqual(['head 200', expect.stringContaining('RXI_CONNECTION: GET /api/v1/pods: ')]);
  });

  it.each([
    ['events are split over messages, also within a character', serverFaults.drip(301, 1)],
    ['an event is malformed', serverFaults.garble({ afterEvents: 1 })],
    ['the last event is truncated', serverFaults.truncate({ afterEvents: 1 })],
    ['the connection is reset', serverFaults.reset(700)],
    ['the connection ends without a close frame', serverFaults.drop(700)],
  ])('an informer over it loses nothing when %s', async (_, fault) => {
    server = await createApiServer();
    const words = { greeting: 'grüß dich' };
    server.apply([aPod({ name: 'a', annotations: words }), aPod({ name: 'b', annotations: words })]);
    server.faults.next('watch', fault);
    const followed = informer(listWatch(connect(), pods, { backoff: () => 1 }));
    followed.errors$.subscribe();
    const subscription = followed.connect();
    await followed.whenSynced();
    server.apply(aPod({ name: 'c', annotations: words }));
    await firstValueFrom(followed.get$('default/c').pipe(filter((pod) => pod !== undefined)));

    expect(followed.keys()).toEqual(['default/a', 'default/b', 'default/c']);
    expect(followed.list().map(({ metadata }) => metadata.annotations)).toEqual([words, words, words]);
    subscription.unsubscribe();
  });

  it('fails with the status of the server if it is refused', async () => {
    server = await createApiServer();
    server.faults.always('watch', serverFaults.respond(429));

    const error = await failureOf(connect().exchange(watchPods), 'RXI_STATUS');
    expect(error.statusCode).toBe(429);
  });

  it('is authenticated by the token of the client', async () => {
    server = await createApiServer({ users: { secret: { name: 'me', allow: 'everything' } } });
    expect((await failureOf(connect().exchange(watchPods), 'RXI_STATUS')).statusCode).toBe(401);

    const head = await firstValueFrom(connect({ authorization: 'Bearer secret' }).exchange(watchPods));
    expect(head).toMatchObject({ type: 'head', status: 200 });
    expect(opened[0]?.protocol).toBe('binary.k8s.io');
  });

  it('fails with an RXI_CONNECTION without a server', async () => {
    server = await createApiServer();
    const client = connect();
    await server.close();

    expect(await failureOf(client.exchange(watchPods), 'RXI_CONNECTION')).toEqual(errorWith('RXI_CONNECTION'));
  });
});
