import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { letServerStart, get, readLines, readText } from '../../contestants/http.js';
import type { ServerContent } from '../../model/scenario.js';
import { startServer, type Server } from '../../run/run-scenario.js';
import { lastVersion, WRITTEN_AT } from '../../server/watch-lines.js';

interface Item {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

interface List extends Item {
  readonly items: readonly Item[];
  readonly metadata: Item['metadata'] & { readonly continue?: string; readonly remainingItemCount?: number };
}

interface WatchEvent {
  readonly type: string;
  readonly object: Item & { readonly code?: number };
}

interface Urls {
  readonly server: string;
  readonly pods: string;
}

/** Starting Node with a compiler takes a second on an idle machine, and much more on a busy one. */
const PATIENCE = 20_000;

const STORM = { events: 30, eventsPerPod: 10 };

/** A frame begins with its length, in four bytes. */
const endOfFrame = (bytes: Buffer): number => (bytes.length < 4 ? Infinity : 4 + bytes.readUInt32BE());

describe('the API server of the benchmark', () => {
  const servers = new Map<string, Promise<Server>>();
  const pods = 120;

  /** One server for each content, because starting a server takes time. */
  async function serve(content: Partial<ServerContent> = {}): Promise<Urls> {
    const name = JSON.stringify(content);
    const started = servers.get(name) ?? startServer('test', { pods, ...content }, new AbortController().signal);
    servers.set(name, started);
    const { url } = await started;
    return { server: url, pods: `${url}/api/v1/pods` };
  }
  afterAll(async () => {
    for (const server of servers.values()) await (await server).close();
  });

  async function list(url: string): Promise<List> {
    return JSON.parse(await readText(await get(url))) as List;
  }

  /** Reads until an event is the last one, and leaves. */
  async function watch(url: string, isLast: (event: WatchEvent) => boolean): Promise<readonly WatchEvent[]> {
    const response = await get(url);
    return new Promise((resolve, reject) => {
      const events: WatchEvent[] = [];
      const ended = readLines(response, (line) => {
        const event = JSON.parse(line) as WatchEvent;
        events.push(event);
        if (!isLast(event)) return;
        response.destroy();
        resolve(events);
      });
      ended.then(() => resolve(events), reject);
    });
  }

  /** Ends a watch, and waits until the server has noticed: it forgets that a client was ready. */
  async function leave(response: IncomingMessage, url: string): Promise<void> {
    response.destroy();
    await once(response, 'close');
    // When the server responds to this, it knows that the client has disconnected.
    await list(`${url}?limit=1`);
  }

  const keyOf = ({ metadata }: Item): string => `${metadata.namespace}/${metadata.name}`;
  const isBookmark = ({ type }: WatchEvent): boolean => type === 'BOOKMARK';

  it(
    'returns the same pods in key order, in one list or in pages, and states their kind once',
    async () => {
      const { pods: url } = await serve(STORM);
      const whole = await list(url);
      const pages: List[] = [await list(`${url}?limit=50`)];
      for (let token = pages[0]?.metadata.continue; token !== undefined; token = pages.at(-1)?.metadata.continue) {
        pages.push(await list(`${url}?limit=50&continue=${token}`));
      }

      expect(pages.map(({ items }) => items.length)).toEqual([50, 50, 20]);
      expect(pages.map(({ metadata }) => metadata.remainingItemCount)).toEqual([70, 20, undefined]);
      expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
      expect(whole.items.map(keyOf)).toEqual(whole.items.map(keyOf).sort());
      expect(whole).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
      expect(whole.items.every(({ kind }) => kind === undefined)).toBe(true);
    },
    PATIENCE,
  );

  it(
    'streams the pods of the list, with their kind, up to the bookmark that ends it',
    async () => {
      const { pods: url } = await serve(STORM);
      const events = await watch(`${url}?watch=true&sendInitialEvents=true`, isBookmark);
      const { items } = await list(url);

      expect(events.slice(0, -1)).toEqual(
        items.map((item) => ({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', ...item } })),
      );
      expect(events.at(-1)?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    },
    PATIENCE,
  );

  it(
    'sends the whole list at once if it is configured to ignore the limit',
    async () => {
      const { pods: url } = await serve({ ignoresLimit: true });
      const { items, metadata } = await list(`${url}?limit=50`);
      expect(items).toHaveLength(pods);
      expect(metadata.continue).toBeUndefined();
    },
    PATIENCE,
  );

  it(
    'responds in protobuf on request: a list, and events with a length prefix',
    async () => {
      const protobufEncoder = fileURLToPath(new URL('../support/fake-encoder.mjs', import.meta.url));
      const { server, pods: url } = await serve({ events: 30, protobufEncoder });
      const headers = { accept: 'application/vnd.kubernetes.protobuf,application/json' };
      const { kind, items } = (await (await fetch(url, { headers })).json()) as List;
      expect([kind, items.length]).toEqual(['PodList', pods]);

      await letServerStart(server);
      const watching = new AbortController();
      const query = 'watch=true&sendInitialEvents=true';
      const { headers: answered, body } = await fetch(`${url}?${query}`, { headers, signal: watching.signal });
      const types: string[] = [];
      let rest = Buffer.alloc(0);
      for await (const chunk of body as ReadableStream<Uint8Array>) {
        rest = Buffer.concat([rest, chunk]);
        for (let end = endOfFrame(rest); end <= rest.length; end = endOfFrame(rest)) {
          types.push((JSON.parse(rest.toString('utf8', 4, end)) as WatchEvent).type);
          rest = rest.subarray(end);
        }
        if (types.length === pods + 1 + 30) break;
      }
      watching.abort();
      expect(answered.get('content-type')).toBe('application/vnd.kubernetes.protobuf;stream=watch');
      expect(types).toEqual([
        ...Array.from({ length: pods }, () => 'ADDED'),
        'BOOKMARK',
        ...Array.from({ length: 30 }, () => 'MODIFIED'),
      ]);
      expect(await list(url)).toMatchObject({ kind: 'PodList' });
    },
    PATIENCE,
  );

  it(
    'sends each event as its own HTTP chunk, as the real API server does',
    async () => {
      const { server, pods: url } = await serve(STORM);
      const response = await get(`${url}?watch=true`);
      let lines = 0;
      let maxLines = 0;
      const read = new Promise<void>((resolve) => {
        response.on('data', (chunk: Buffer) => {
          const here = chunk.toString().split('\n').length - 1;
          lines += here;
          maxLines = Math.max(maxLines, here);
          if (lines === 31) resolve();
        });
      });
      await letServerStart(server);
      await read;
      await leave(response, url);

      expect(maxLines).toBe(1);
    },
    PATIENCE,
  );

  it(
    'sends every write, including several of one pod in a row, once the client is ready',
    async () => {
      const { server, pods: url } = await serve(STORM);
      const [events] = await Promise.all([watch(`${url}?watch=true`, isBookmark), letServerStart(server)]);
      const writes = events.slice(0, -1);

      expect(writes).toHaveLength(30);
      expect(new Set(writes.slice(0, 10).map(({ object }) => object.metadata.uid)).size).toBe(1);
      expect(new Set(writes.map(({ object }) => object.metadata.uid)).size).toBe(3);
      expect(writes.at(-1)?.object.metadata.resourceVersion).toBe(lastVersion({ pods, ...STORM }));
      expect(writes.every(({ type, object }) => type === 'MODIFIED' && object.kind === 'Pod')).toBe(true);
    },
    PATIENCE,
  );

  it(
    'writes at a fixed pace, and returns the time of each write',
    async () => {
      const before = process.hrtime.bigint();
      const { server, pods: url } = await serve({ events: 20, writesPerSecond: 1000 });
      const [events] = await Promise.all([watch(`${url}?watch=true`, isBookmark), letServerStart(server)]);
      const stamps = events.slice(0, -1).map(({ object }) => BigInt(object.metadata.annotations[WRITTEN_AT] ?? 0));

      expect(stamps).toHaveLength(20);
      expect(stamps).toEqual([...stamps].sort((a, b) => Number(a - b)));
      expect(stamps.every((stamp) => stamp > before && stamp < process.hrtime.bigint())).toBe(true);
    },
    PATIENCE,
  );

  it(
    'ends watches with 410 as often as configured, for each client',
    async () => {
      const { server, pods: url } = await serve({ expirations: 2 });
      const codes = async (): Promise<readonly (number | undefined)[]> => {
        const events = await watch(`${url}?watch=true`, () => false);
        return events.map(({ object }) => object.code);
      };

      await letServerStart(server);
      expect([await codes(), await codes()]).toEqual([[410], [410]]);
      await leave(await get(`${url}?watch=true`), url);
      await letServerStart(server);
      expect([await codes(), await codes()]).toEqual([[410], [410]]);
    },
    PATIENCE,
  );

  it(
    'serves only pods',
    async () => {
      const { server } = await serve(STORM);
      const [response] = (await once(httpGet(`${server}/api/v1/nodes`), 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(404);
    },
    PATIENCE,
  );
});
