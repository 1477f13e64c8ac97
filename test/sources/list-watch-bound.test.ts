import fc from 'fast-check';
import { configMaps, informer, listWatch, type ConfigMap, type KubeClient, type ListWatchOptions } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { aConfigMap, createInMemoryApiServer, randomFromSeed, serverFaults } from 'rx-informers/testing';
import { concat, concatMap, defer, from, NEVER, take, tap, throwError, toArray, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { connectionError } from '../../src/sources/model/errors.js';
import { added, modified, podList } from '../fixtures/wire.js';
import { jumpingScheduler } from '../support/wall-clock.js';
import { list, open, paged, reset, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, statusError, type Answer } from './support/scripted-client.js';

const minute = 60_000;

/** The bound of G5: ten requests at once, then one a second. */
const bound = 70;

const isList = ({ query = {} }: KubeRequest): boolean => query['watch'] !== true;

describe('listWatch sends at most 70 requests a minute to a misbehaving server', () => {
  it('R13 ▲: if each watch ends after one new event', () => {
    let version = 10;
    const oneEvent = (): Answer => respond([[1, modified(`a@${(version += 1)}`)]], { end: 2 });
    const { client, seen } = run([list('10'), oneEvent], minute);
    expect(client.requests.length).toBeGreaterThan(50);
    expect(client.requests.length).toBeLessThanOrEqual(bound);
    expect(seen.some((text) => text.includes('backing-off'))).toBe(true);
    expect(seen.filter((text) => text.includes('ERROR'))).toHaveLength(1);
  });

  it('R14 ▲: if each watch replays known events and then breaks, with growing waits', () => {
    const replay = respond([[1, modified('a@8') + modified('a@9') + modified('a@10')]], { cut: [5, reset] });
    const { client, seen } = run([list('10'), replay], minute);
    expect(client.requests.length).toBeLessThan(12);
    expect(seen.some((text) => text.includes('backing-off'))).toBe(true);
  });

  it('R14 ▲: if each watch goes back to an older version and then breaks', () => {
    const versions = [8, 9, 10];
    let turn = 0;
    const older = (): Answer => respond([[1, modified(`a@${versions[(turn += 1) % 3] ?? 0}`)]], { cut: [5, reset] });
    const { client } = run([list('10'), older], minute);
    expect(client.requests.length).toBeLessThan(12);
  });

  it('if a backoff function never waits', () => {
    const { client } = run([refuse(statusError(500))], minute, { ...paged, backoff: () => 0 });
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });

  it('if streaming lists break and lists expire, each at once', () => {
    const { client } = run([refuse(statusError(410))], minute, { ...streamed, backoff: () => 0 });
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });

  it('U5: if each list has one page with a new object, and the next page fails', () => {
    let page = 0;
    const failing = refuse(statusError(500));
    const first = (): Answer => respond([[1, podList('10', [`p${page}`], { continue: `page ${page}` })]], { end: 2 });

    const { client } = run([() => ((page += 1) % 2 === 1 ? first() : failing)], minute, { ...paged, backoff: () => 0 });

    expect(client.requests.length).toBeGreaterThan(50);
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });

  it.each<[string, (page: number) => string]>([
    ['nothing', (page) => podList('10', [], { continue: `page ${page}` })],
    ['known objects', (page) => podList('10', [`p${page % 2}`], { continue: `page ${page}` })],
    ['known objects and a known token', () => podList('10', ['a'], { continue: 'again' })],
    [
      'objects that precede known ones',
      (page) => podList('10', [`p${1_000_000 - page}`], { continue: `page ${page}` }),
    ],
  ])('U5 ▲: if a list never ends and each page brings %s', (_what, pageOf) => {
    let page = 0;
    const { client } = run([() => respond([[1, pageOf((page += 1))]], { end: 2 })], minute);
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });
});

describe('listWatch with a well-behaved server', () => {
  it('U5: reads a long list page by page without a wait', () => {
    const page = (number: number): Answer =>
      respond([[1, podList('10', [`p${1_000 + number}`], number === 200 ? {} : { continue: `page ${number}` })]], {
        end: 2,
      });
    let number = 0;
    const { client, data } = run([() => ((number += 1) > 200 ? open : page(number))], 1_000);
    expect(client.requests.filter(isList)).toHaveLength(200);
    expect(data).toHaveLength(1);
  });

  it('R13: resumes watches that end after a second at once, for any number of them', () => {
    let version = 10;
    const seconds = (): Answer => respond([[1, added(`a@${(version += 1)}`)]], { end: 1_000 });
    const { client } = run([list('10'), seconds], minute);
    expect(client.requests.length).toBeGreaterThanOrEqual(60);
  });
});

describe('listWatch with a continue token that repeats', () => {
  it('U5 ▲: reports it, and reads the list in one request without a limit', () => {
    const stuck = respond([[1, podList('10', ['a'], { continue: 'again' })]], { end: 2 });
    const { client, data } = run([stuck, stuck, list('10', ['a', 'b']), open], 10_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 continue=again',
      'LIST resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
    expect(data).toEqual(['4: ERROR RXI_RESPONSE', '6: LISTED 10(a@1 b@1)']);
  });
});

type Query = NonNullable<KubeRequest['query']>;

/** Misbehaves in its own way, controlled by `random`. */
type Lie = (client: KubeClient, request: KubeRequest, random: () => number) => Observable<ResponsePart>;

const day = 86_400_000;

const somewhere = { method: 'GET', url: '/' };

const broken = throwError(() => connectionError(somewhere, new Error('reset'), 'ECONNRESET'));

const isWatch = ({ query }: KubeRequest): boolean => query?.['watch'] === true;

const ask = (client: KubeClient, request: KubeRequest, changes: Query): Observable<ResponsePart> =>
  client.exchange({ ...request, query: { ...request.query, ...changes } });

const lies: Readonly<Record<string, Lie>> = {
  'a watch ends after its first read': (client, request) => client.exchange(request).pipe(take(2)),
  'a watch breaks after its first read': (client, request) => concat(client.exchange(request).pipe(take(2)), broken),
  'a watch ends at once': (client, request) => client.exchange(request).pipe(take(1)),
  'a watch replays known events and breaks': (client, request, random) => {
    const version = Number(request.query?.['resourceVersion'] ?? 0);
    const older = version === 0 ? {} : { resourceVersion: String(Math.max(1, version - Math.floor(random() * 10))) };
    return concat(ask(client, request, older).pipe(take(1 + Math.floor(random() * 5))), broken);
  },
  'sendInitialEvents is ignored': (client, request) => {
    const {
      sendInitialEvents: _ignored,
      resourceVersionMatch: _too,
      allowWatchBookmarks: _off,
      ...query
    } = request.query ?? {};
    return client.exchange({ ...request, query });
  },
  'one token leads to one page for ever': (client, request) => endless(client, request, () => 'lie'),
  'each page has a new token': (client, request, random) => endless(client, request, () => `lie${random()}`),
  'each page is empty and has a new token': (client, request, random) =>
    endless(
      client,
      request,
      () => `lie${random()}`,
      () => [],
    ),
};

function endless(
  client: KubeClient,
  request: KubeRequest,
  token: () => string,
  itemsOf: (items: unknown) => unknown = (items) => items,
): Observable<ResponsePart> {
  if (isWatch(request)) return client.exchange(request);
  const isLie = String(request.query?.['continue']).startsWith('lie');
  return ask(client, request, isLie ? { continue: undefined } : {}).pipe(
    toArray(),
    concatMap((parts) => {
      const { items, metadata, ...list } = JSON.parse(textOf(parts)) as Record<string, object>;
      const body = { ...list, metadata: { ...metadata, continue: token() }, items: itemsOf(items) };
      const head = parts.filter(({ type }) => type === 'head');
      return from([...head, { type: 'bytes' as const, bytes: new TextEncoder().encode(JSON.stringify(body)) }]);
    }),
  );
}

function textOf(parts: readonly ResponsePart[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => (part.type === 'bytes' ? decoder.decode(part.bytes, { stream: true }) : '')).join('');
}

/**
 * Notes when requests were made, except for pages that follow one with objects new to their list.
 */
function counting(
  client: KubeClient,
  now: () => number,
): { readonly client: KubeClient; readonly at: readonly number[] } {
  const at: number[] = [];
  const seen = new Set<string>();
  let isNew = false;
  const exchange = (request: KubeRequest): Observable<ResponsePart> =>
    defer(() => {
      const isPage = request.query?.['continue'] !== undefined;
      if (!isPage || !isNew) at.push(now());
      // Without a bound, virtual time might never advance.
      if (at.length > 2_000) return NEVER;
      if (!isPage) seen.clear();
      isNew = false;
      let text = '';
      const note = (part: ResponsePart): void => {
        text += textOf([part]);
        for (const [, name = ''] of text.matchAll(/"name":"(c\d+)"/g)) {
          isNew ||= !seen.has(name);
          seen.add(name);
        }
      };
      return isWatch(request) ? client.exchange(request) : client.exchange(request).pipe(tap(note));
    });
  return { at, client: { exchange } };
}

interface Story {
  readonly seed: number;
  readonly lies: readonly string[];
  readonly faultProbability: number;
  readonly neverWaits: boolean;
  readonly watchList: boolean;
  /** When the clock is set, and by how much. */
  readonly jumps: readonly (readonly [at: number, by: number])[];
  readonly options: ListWatchOptions<ConfigMap>;
}

function maxInAMinute(at: readonly number[]): number {
  return Math.max(0, ...at.map((from, index) => at.slice(index).filter((time) => time < from + minute).length));
}

describe('listWatch with a random server', () => {
  /**
   * Five minutes of lies, faults, writes and clock jumps, then five of peace: when was the server
   * asked, and what is held in the end?
   */
  function run({ seed, lies: chosen, faultProbability, neverWaits, watchList, jumps, options }: Story): {
    readonly at: readonly number[];
    readonly kept: readonly string[];
    readonly stored: readonly string[];
    readonly state: string;
  } {
    const scheduler = new TestScheduler(() => undefined);
    const random = randomFromSeed(seed);
    const spell = (objects: readonly { readonly metadata: ConfigMap['metadata'] }[]): readonly string[] =>
      objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
    return scheduler.run(({ flush }) => {
      const clock = jumpingScheduler(scheduler);
      for (const [at, by] of jumps) scheduler.schedule(() => clock.jump(by), at);
      const server = createInMemoryApiServer({ scheduler, watchList, random });
      const write = (): void => {
        const name = `c${10 + Math.floor(random() * 20)}`;
        if (random() < 0.3) server.remove(configMaps, name, 'default');
        else server.apply(aConfigMap({ name, data: { value: String(random()) } }));
      };
      for (let count = 0; count < 30; count += 1) write();
      server.faults.always('any', serverFaults.random(seed, { probability: faultProbability }));
      let isLying = true;
      const liar: KubeClient = {
        exchange: (request) => {
          const lie = lies[chosen[Math.floor(random() * chosen.length)] ?? ''];
          return isLying && lie !== undefined ? lie(server.client, request, random) : server.client.exchange(request);
        },
      };
      const counted = counting(liar, () => scheduler.now());
      const source = listWatch(counted.client, configMaps, {
        ...options,
        ...(neverWaits && { backoff: () => 0 }),
        watchTimeout: [30, 60],
        scheduler: clock,
        random,
      });
      const followed = informer(source, { scheduler: clock, onUnobservedError: () => {} });
      followed.connect();
      for (let time = 0; time < 5 * minute; time += 1_000) scheduler.schedule(write, time);
      scheduler.schedule(() => {
        isLying = false;
        server.faults.clear();
      }, 5 * minute);
      let result = { at: counted.at, kept: [] as readonly string[], stored: [] as readonly string[], state: '' };
      scheduler.schedule(() => {
        result = { ...result, kept: spell(followed.list()), stored: spell(server.objects.list(configMaps)) };
        result.state = followed.status.state;
        followed.stop();
        server.stop();
      }, 10 * minute);
      flush();
      return result;
    });
  }

  it('G5: sends at most 70 requests in any minute, and has the objects of the server once the server behaves', () => {
    const story: fc.Arbitrary<Story> = fc.record({
      seed: fc.nat(),
      lies: fc.subarray(Object.keys(lies), { minLength: 1, maxLength: 3 }),
      faultProbability: fc.constantFrom(0, 0.1, 0.5),
      neverWaits: fc.boolean(),
      watchList: fc.boolean(),
      jumps: fc.array(fc.tuple(fc.nat(10 * minute), fc.integer({ min: -day, max: day })), { maxLength: 5 }),
      options: fc.record({
        initialList: fc.constantFrom('stream', 'pages', 'auto'),
        pageSize: fc.constantFrom(undefined, 7),
        listConsistency: fc.constantFrom('any', 'most-recent'),
      }),
    });
    fc.assert(
      fc.property(story, (received) => {
        const { at, kept, stored, state } = run(received);
        expect(maxInAMinute(at)).toBeLessThanOrEqual(70);
        expect(kept).toEqual(stored);
        expect(state).toBe('watching');
      }),
      { numRuns: 20 },
    );
  });
});
