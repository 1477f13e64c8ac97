import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { letServerStart, get, readLines, readText } from '../../../bench/contestants/http.js';
import { startServer, type Server } from '../../../bench/run/start-server.js';
import type { ServerContent } from '../../../bench/scenario.js';
import { lastVersion } from '../../../bench/server/last-version.js';
import { WRITTEN_AT } from '../../../bench/server/watch-lines.js';

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

describe('the API server of the benchmark', () => {
  const servers = new Map<string, Promise<Server>>();
  const pods = 120;

  /** One server for each content: starting one is what takes time. */
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

  const keyOf = ({ metadata }: Item): string => `${metadata.namespace}/${metadata.name}`;
  const isBookmark = ({ type }: WatchEvent): boolean => type === 'BOOKMARK';

  it(
    'gives the same pods in key order, whether in one list or in pages, and says once of what kind they are',
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
    'sends each event as an HTTP chunk of its own, as the real one does',
    async () => {
      const { server, pods: url } = await serve(STORM);
      const response = await get(`${url}?watch=true`);
      let lines = 0;
      let mostLines = 0;
      const read = new Promise<void>((resolve) => {
        response.on('data', (chunk: Buffer) => {
          const here = chunk.toString().split('\n').length - 1;
          lines += here;
          mostLines = Math.max(mostLines, here);
          if (lines === 31) resolve();
        });
      });
      await letServerStart(server);
      await read;
      response.destroy();

      expect(mostLines).toBe(1);
    },
    PATIENCE,
  );

  it(
    'sends every write, of one pod several times in a row, once the client is ready',
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
    'writes at a pace, and says of each write when it was made',
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
      const silent = await get(`${url}?watch=true`);
      silent.destroy();
      await once(silent, 'close');
      // By the time it answers this, the server knows that the client has left.
      await list(`${url}?limit=1`);
      await letServerStart(server);
      expect([await codes(), await codes()]).toEqual([[410], [410]]);
    },
    PATIENCE,
  );

  it(
    'knows nothing but pods',
    async () => {
      const { server } = await serve(STORM);
      const [response] = (await once(httpGet(`${server}/api/v1/nodes`), 'response')) as [IncomingMessage];
      expect(response.resume().statusCode).toBe(404);
    },
    PATIENCE,
  );
});
