import { listWatch, type KubeClient } from 'rx-informers';
import { limitedClient } from 'rx-informers/client';
import { informerTest } from 'rx-informers/testing';
import {
  of,
  type Observable,
  tap,
  EMPTY,
  NEVER,
  takeUntil,
  throwError,
  timer,
  asyncScheduler,
  Subscription,
  take,
} from 'rxjs';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { pods, type Pod, podOf } from '../fixtures/pods.js';
import { podList, endBookmark, line, added, modified } from '../fixtures/wire.js';
import { list, open, paged, streamed, refused } from './support/run-list-watch.js';
import {
  encode,
  scriptedClient,
  type Answer,
  respond,
  statusError,
  type ScriptedClient,
  refuse,
} from './support/scripted-client.js';
import { dataTimeline, timeline } from './support/timeline.js';

describe('listWatch', () => {
  it('is cold: each subscription sends its own requests', () => {
    const client = scriptedClient([list('10'), open, list('20'), open]);
    const source = listWatch(client, pods, paged);
    expect(client.requests).toHaveLength(0);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 10(a@1)']);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 20(a@1)']);
    expect(client.requests).toHaveLength(4);
  });

  it('survives a client that throws instead of responding', () => {
    const client = {
      exchange: (): Observable<never> => {
        throw new Error('broken');
      },
    };
    expect(timeline(() => listWatch(client, pods, paged), 100)[1]).toMatch(
      /^0: ERROR RXI_UNEXPECTED_SOURCE <backing-off/,
    );
  });

  it('ignores late responses of an ended request', () => {
    const head = { type: 'head' as const, status: 200, headers: {} };
    const garbage: Answer = of(head, { type: 'bytes' as const, bytes: encode('{garbage\n') });
    const whole: Answer = of(head, { type: 'bytes' as const, bytes: encode(podList('10', ['a'])) });
    const seen = timeline(() => listWatch(scriptedClient([garbage, whole, open]), pods, streamed), 10);
    expect(seen).toEqual([
      '0: <listing by stream 0>',
      '0: ERROR RXI_DECODE <listing by pages 0>',
      '0: LISTED 10(a@1)',
      '0: <watching 10>',
    ]);
  });

  it('survives a client that always responds synchronously', () => {
    const synchronous: Answer = of(
      { type: 'head' as const, status: 200, headers: {} },
      { type: 'bytes' as const, bytes: encode(podList('10', ['a'])) },
    );
    const client = scriptedClient([synchronous, of({ type: 'head' as const, status: 200, headers: {} })]);
    expect(timeline(() => listWatch(client, pods, paged), 3_000).length).toBeGreaterThan(3);
    expect(client.maxInFlight).toBe(1);
  });

  it.each<[string, ListWatchOptions<Pod>]>([
    ['watchTimeout', { watchTimeout: [600, 300] }],
    ['watchTimeout', { watchTimeout: [0, 10] }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1.5 }],
    ['grace', { grace: -1 }],
    ['listSilence', { listSilence: NaN }],
  ])('throws for an invalid %s', (option, options) => {
    expect(() => listWatch(scriptedClient([]), pods, options)).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_OPTION', option }),
    );
  });

  it('throws if a cluster-scoped resource is combined with a namespace', () => {
    const nodes = { group: '', version: 'v1', plural: 'nodes', namespaced: false };
    expect(() => listWatch(scriptedClient([]), nodes, { namespace: 'web' })).toThrow(
      expect.objectContaining({ code: 'RXI_RESOURCE_PATH' }),
    );
  });
});

const onNode = (written: string): Pod => ({ ...podOf(written), spec: { nodeName: 'a-node-with-a-long-name' } });

/** Listed objects, then those of the watch. */
function objectsOf(text: string, options: ListWatchOptions<Pod> = {}): readonly Pod[] {
  const seen: Pod[] = [];
  const source = listWatch(scriptedClient([respond([[1, text]])]), pods, options);
  timeline(
    () =>
      source.pipe(
        tap((batch) => {
          for (const event of batch) {
            if (event.type === 'LISTED') seen.push(...event.items);
            else if ('object' in event) seen.push(event.object);
          }
        }),
      ),
    100,
  );
  return seen;
}

const text =
  line('ADDED', onNode('a@1')) + line('ADDED', onNode('b@2')) + endBookmark('5') + line('ADDED', onNode('c@6'));

describe('listWatch: the objects of a streaming list', () => {
  it('share equal parts with the object before them', () => {
    const [first, second] = objectsOf(text);
    expect(second).toEqual(onNode('b@2'));
    expect(second?.spec).toBe(first?.spec);
  });

  it('share no parts after the end of the list, where the store has better information', () => {
    const [first, , third] = objectsOf(text);
    expect(third).toEqual(onNode('c@6'));
    expect(third?.spec).not.toBe(first?.spec);
  });

  it('share nothing with shareAcrossObjects: false', () => {
    const [first, second] = objectsOf(text, { shareAcrossObjects: false });
    expect(second?.spec).not.toBe(first?.spec);
  });

  it('are shared after transform, which receives no shared parts', () => {
    const touched = (pod: Pod): Pod => Object.assign(pod, { spec: { ...pod.spec, touched: true } });
    const nodes: unknown[] = [];
    const transform = (pod: Pod): Pod => {
      nodes.push(pod.spec);
      return touched(pod);
    };
    const [first, second] = objectsOf(text, { transform });
    expect(nodes).toEqual(Array.from({ length: 3 }, () => ({ nodeName: 'a-node-with-a-long-name' })));
    expect(second?.spec).toBe(first?.spec);
  });
});

const minute = 60_000;

const streamedList = respond([[1, added('a@1') + endBookmark('10')]]);

/** A client that the server has asked to wait for this long. */
function blockedClient(client: KubeClient, wait: number): KubeClient {
  const answers: KubeClient = {
    exchange: (request) =>
      request.path === '/busy' ? throwError(() => statusError(429, {}, wait)) : client.exchange(request),
  };
  const stored = limitedClient(answers, { maxRetryAfter: Infinity });
  stored.exchange({ method: 'GET', path: '/busy' }).subscribe({ error: () => undefined });
  return stored;
}

function run(
  client: ScriptedClient,
  until: number,
  options: ListWatchOptions<Pod>,
  wait = 10 * minute,
): readonly string[] {
  return timeline(() => listWatch(blockedClient(client, wait), pods, options), until);
}

describe('listWatch over a limited client', () => {
  it.each([
    ['list', paged, list('10')],
    ['streaming list', streamed, streamedList],
  ])('lets a %s wait for its turn without a timeout', (_name, options, answer) => {
    const client = scriptedClient([answer, open]);
    const seen = run(client, 11 * minute, options);
    expect(seen.filter((text) => text.includes('ERROR'))).toEqual([]);
    expect(seen.some((text) => text.includes('LISTED 10'))).toBe(true);
  });

  it('counts the timeout of a response from the moment at which the request is sent', () => {
    const silent = scriptedClient([NEVER]);
    const seen = run(silent, 12 * minute, paged);
    const failed = seen.filter((text) => text.includes('ERROR'));
    expect(failed).toEqual([expect.stringMatching(/^660000: ERROR RXI_SILENT_CONNECTION/)]);
  });

  it('syncs after the wait, and lets its watch wait for a turn too', () => {
    const client = scriptedClient([EMPTY, list('10'), open]);
    const seen: string[] = [];
    informerTest(({ flush, scheduler }) => {
      const limited = limitedClient(client, { qps: 0.005, burst: 1 });
      limited.exchange({ method: 'GET', path: '/other' }).subscribe();
      listWatch(limited, pods, paged)
        .pipe(takeUntil(timer(10 * minute)))
        .subscribe((batch) => seen.push(...batch.map(({ type }) => `${scheduler.now()} ${type}`)));
      flush();
    });
    expect(seen.filter((text) => !text.includes('STATUS'))).toEqual(['200002 LISTED']);
    expect(client.log.slice(2)).toEqual(['WATCH resourceVersion=10']);
  });

  it('sends nothing and leaves no timer if it is unsubscribed from while its request waits', () => {
    const client = scriptedClient([open]);
    informerTest(({ scheduler, flush }) => {
      const stored = blockedClient(client, minute);
      const subscription = listWatch(stored, pods, { ...paged, scheduler }).subscribe();
      expect(scheduler.actions.length).toBeGreaterThan(0);
      scheduler.schedule(() => subscription.unsubscribe(), 1_000);
      flush();
      expect(scheduler.now()).toBeLessThan(minute);
    });
    expect(client.requests).toEqual([]);
  });
});

describe('listWatch when it is unsubscribed from', () => {
  const situations: readonly (readonly [string, readonly Answer[], number, ListWatchOptions<Pod>])[] = [
    ['before the response of a list', [NEVER], 10, paged],
    ['in the middle of a list', [respond([[1, podList('1', ['a']).slice(0, 30)]])], 10, paged],
    ['between two pages', [respond([[1, podList('10', ['a'], { continue: 'next' })]], { end: 2 }), NEVER], 10, paged],
    ['while a watch is opened', [list('10'), NEVER], 10, paged],
    ['while a watch is open', [list('10'), open], 10, paged],
    ['during a wait', [refuse(refused)], 10, paged],
    ['before the response of a stream', [NEVER], 10, streamed],
    ['in the middle of a stream', [respond([[1, added('a@1')]])], 10, streamed],
    ['while a stream continues as the watch', [respond([[1, endBookmark('1')]])], 10, streamed],
  ];

  it.each(situations)(
    'G8, R21: %s, leaves no request and no timer, and emits nothing more',
    (_name, answers, until, options) => {
      const client = scriptedClient(answers);
      informerTest(({ scheduler }) => {
        const late: unknown[] = [];
        const subscription = new Subscription();
        subscription.add(listWatch(client, pods, options).subscribe(() => subscription.closed && late.push('late')));
        asyncScheduler.schedule(() => {
          subscription.unsubscribe();
          expect(client.inFlight).toBe(0);
        }, until);
        scheduler.flush();
        expect(asyncScheduler.now()).toBe(until);
        expect(scheduler.actions).toHaveLength(0);
        expect(late).toEqual([]);
      });
      expect(client.maxInFlight).toBe(1);
    },
  );

  it.each([1, 2, 3, 4, 5])('G8: by its own subscriber in emission %i, emits and requests nothing more', (count) => {
    const client = scriptedClient([
      respond(
        [
          [10, added('a@1') + endBookmark('2') + added('b@3')],
          [20, modified('a@4')],
        ],
        { end: 2_000 },
      ),
      open,
    ]);
    informerTest(({ scheduler }) => {
      const seen: unknown[] = [];
      listWatch(client, pods, streamed)
        .pipe(take(count))
        .subscribe((batch) => seen.push(batch));
      scheduler.flush();
      expect(seen).toHaveLength(count);
      expect(scheduler.actions).toHaveLength(0);
      expect(asyncScheduler.now()).toBeLessThanOrEqual(2_000);
    });
    expect(client.inFlight).toBe(0);
    // The fifth emission says that the watch is resumed, and comes before the request that
    // resumes it.
    expect(client.requests).toHaveLength(count === 1 ? 0 : 1);
  });
});
