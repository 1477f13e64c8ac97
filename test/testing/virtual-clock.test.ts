import {
  configMaps,
  informer,
  listWatch,
  type Informer,
  pods as podResource,
  type Pod,
  type KubeClient,
  type ListWatchOptions,
  indexByNode,
  allObjects,
  bucket,
} from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import {
  aConfigMap,
  createInMemoryApiServer,
  virtualClock,
  type VirtualClock,
  informerTest,
} from 'rx-informers/testing';
import { resync } from 'rx-informers/views';
import {
  delay,
  firstValueFrom,
  interval,
  NEVER,
  of,
  timer,
  timeout,
  concat,
  filter,
  map,
  Observable,
  throwError,
} from 'rxjs';
import { connectionError } from '../../src/sources/model/errors.js';
import { a, b, objects } from './marbles/support.js';

/** Records the time at which each timer runs. */
function timers(clock: VirtualClock, ...dueTimes: readonly number[]): readonly number[] {
  const runs: number[] = [];
  for (const due of dueTimes) timer(due, clock).subscribe(() => runs.push(clock.now()));
  return runs;
}

describe('virtualClock', () => {
  it('starts at 1 January 1970, or at the given time', () => {
    const startOf2026 = Date.UTC(2026, 0);
    expect([virtualClock().now(), virtualClock({ now: startOf2026 }).now()]).toEqual([0, startOf2026]);
  });

  it('advance() runs due timers in order, each at its own time', () => {
    const clock = virtualClock();
    const runs = timers(clock, 300, 100, 101, 200);
    clock.advance(200);
    expect(runs).toEqual([100, 101, 200]);
    clock.advance(100);
    expect(runs).toEqual([100, 101, 200, 300]);
  });

  it('advance() ends at exactly the given time, with any timers', () => {
    const clock = virtualClock();
    clock.advance(70);
    timer(10, clock).subscribe();
    clock.advance(30);
    expect(clock.now()).toBe(100);
  });

  it('advance() runs timers that a callback schedules within the given time', () => {
    const clock = virtualClock({ now: 5 });
    const runs: number[] = [];
    interval(10, clock).subscribe(() => runs.push(clock.now()));
    clock.advance(35);
    expect(runs).toEqual([15, 25, 35]);
  });

  it('advance(0) runs timers that are due now, and nothing else', () => {
    const clock = virtualClock();
    const runs = timers(clock, 0, 1);
    clock.advance(0);
    expect(runs).toEqual([0]);
  });

  it('counts waiting timers, and none that were cancelled or have run', () => {
    const clock = virtualClock();
    const cancelled = timer(10, clock).subscribe();
    timers(clock, 10, 20);
    expect(clock.timers).toBe(3);
    cancelled.unsubscribe();
    clock.advance(10);
    expect(clock.timers).toBe(1);
  });

  it('flush() runs timers until none waits', () => {
    const clock = virtualClock();
    const runs: number[] = [];
    of('a')
      .pipe(delay(50_000, clock), delay(50_000, clock))
      .subscribe(() => runs.push(clock.now()));
    clock.flush();
    expect({ runs, now: clock.now(), timers: clock.timers }).toEqual({ runs: [100_000], now: 100_000, timers: 0 });
  });

  it('flush() throws an error instead of running a repeated timer for ever', () => {
    const clock = virtualClock();
    interval(10, clock).subscribe();
    expect(() => {
      clock.flush();
    }).toThrow('a timer reschedules itself forever; use advance(milliseconds)');
  });

  it('advance() throws an error instead of running a timer forever that is rescheduled for the same time', () => {
    const clock = virtualClock();
    interval(0, clock).subscribe();
    expect(() => {
      clock.advance(10);
    }).toThrow('advance() ran 100000 timers at 0 ms: a timer reschedules itself without delay');
  });

  it('advance() runs a timer of each millisecond for as long as requested', () => {
    const clock = virtualClock();
    let ticks = 0;
    interval(1, clock).subscribe(() => ticks++);
    clock.advance(100_001);
    expect(ticks).toBe(100_001);
  });

  it('block() passes time without running timers, like a slow callback', () => {
    const clock = virtualClock();
    const runs = timers(clock, 10, 20);
    clock.block(15);
    expect({ now: clock.now(), runs: [...runs] }).toEqual({ now: 15, runs: [] });
    clock.advance(5);
    expect(runs).toEqual([15, 20]);
  });

  it('never goes back: a timer delayed by a slow callback runs late', () => {
    const clock = virtualClock();
    const runs: string[] = [];
    timer(10, clock).subscribe(() => {
      clock.block(100);
    });
    timer(20, clock).subscribe(() => runs.push(`late at ${clock.now()}`));
    timer(200, clock).subscribe(() => runs.push(`in time at ${clock.now()}`));
    clock.advance(50);
    expect(clock.now()).toBe(110);
    clock.advance(90);
    expect(runs).toEqual(['late at 110', 'in time at 200']);
  });

  it('advance() rethrows an error of a callback, and keeps the other timers', () => {
    const clock = virtualClock();
    clock.schedule(() => {
      throw new Error('of the callback');
    }, 10);
    const runs = timers(clock, 20);
    expect(() => {
      clock.advance(100);
    }).toThrow('of the callback');
    clock.advance(100);
    expect(runs).toEqual([20]);
  });

  it.each([-1, NaN, Infinity])('refuses to advance or block by %s ms', async (milliseconds) => {
    const clock = virtualClock();
    const refused = `milliseconds must be a finite number of at least 0 ms, not ${milliseconds}`;
    expect(() => {
      clock.advance(milliseconds);
    }).toThrow(refused);
    expect(() => {
      clock.block(milliseconds);
    }).toThrow(refused);
    await expect(clock.advanceAsync(milliseconds)).rejects.toThrow(refused);
  });

  it('refuses to advance inside a callback, because time would pass twice', () => {
    const clock = virtualClock();
    clock.schedule(() => {
      clock.advance(1);
    }, 10);
    expect(() => {
      clock.advance(10);
    }).toThrow('advance() was called from a callback that runs on this clock; use block(milliseconds)');
  });

  it('advanceAsync() settles promises before each time at which a timer is due', async () => {
    const clock = virtualClock();
    const seen: string[] = [];
    const wait = (milliseconds: number): Promise<unknown> => firstValueFrom(timer(milliseconds, clock));
    const script = async (): Promise<void> => {
      for (const step of [1, 2, 3]) {
        await wait(1_000);
        await Promise.resolve();
        seen.push(`${step} at ${clock.now()}`);
      }
    };
    const ended = script();
    await clock.advanceAsync(2_999);
    expect({ seen: [...seen], now: clock.now() }).toEqual({ seen: ['1 at 1000', '2 at 2000'], now: 2_999 });
    await clock.advanceAsync(1);
    await ended;
    expect(seen).toContain('3 at 3000');
  });

  it('advanceAsync() rejects with an error of a callback', async () => {
    const clock = virtualClock();
    clock.schedule(() => {
      throw new Error('of the callback');
    }, 10);
    await expect(clock.advanceAsync(10)).rejects.toThrow('of the callback');
  });

  it('works with the operators of rxjs that take a scheduler', () => {
    const clock = virtualClock();
    const errors: unknown[] = [];
    NEVER.pipe(timeout({ first: 1_000, scheduler: clock })).subscribe({ error: (error) => errors.push(error) });
    clock.advance(1_000);
    expect(errors).toEqual([expect.objectContaining({ name: 'TimeoutError' })]);
  });

  it('drives an API server in memory and an informer over it', () => {
    const clock = virtualClock();
    const server = createInMemoryApiServer({ scheduler: clock });
    const cache = informer(listWatch(server.client, configMaps, { scheduler: clock }), { scheduler: clock });
    cache.connect();
    server.apply(aConfigMap({ name: 'settings' }));
    clock.advance(3_600_000);
    expect(cache.get('default/settings')?.metadata.name).toBe('settings');
    server.remove(configMaps, 'settings', 'default');
    clock.advance(1_000);
    expect(cache.list()).toEqual([]);
    cache.stop();
  });
});

/** A client whose responses a test decides. */
function clientThat(answer: (request: KubeRequest, count: number) => Observable<ResponsePart>): KubeClient {
  let count = 0;
  return { exchange: (request) => new Observable((subscriber) => answer(request, ++count).subscribe(subscriber)) };
}

const refused = (): Observable<never> =>
  throwError(() => connectionError({ method: 'GET', url: '/' }, new Error('refused'), 'ECONNREFUSED'));

const follow = (client: KubeClient, options: ListWatchOptions<Pod> = {}): Informer<Pod, 'node'> =>
  informer(listWatch(client, podResource, { random: () => 0, ...options }), {
    indexers: { node: indexByNode },
    onUnobservedError: () => undefined,
  });

describe('virtual time', () => {
  it('G5 G9: backoff ends at the time in a diagram, here after 0.8 s and 1.6 s more', () => {
    informerTest(objects, ({ expectQuery, expectStatus }) => {
      const server = createInMemoryApiServer();
      server.apply(a);
      const pods = follow(clientThat((request, count) => (count <= 2 ? refused() : server.client.exchange(request))));
      expectQuery(pods, bucket('node', 'n1'), '^ 3s !').toBe('2400ms a');
      expectStatus(pods, '^ 2999ms !').toBe('b 799ms [lb] 1596ms [lw]');
    });
  });

  it('G6 G9: a silent dead connection is detected when its timeout and grace have passed', () => {
    informerTest(objects, ({ expectStatus, expectQuery }) => {
      const server = createInMemoryApiServer();
      server.apply([a, b]);
      const silentOnce = clientThat((request, count) =>
        count === 2
          ? concat(of<ResponsePart>({ type: 'head', status: 200, headers: {} }), NEVER)
          : server.client.exchange(request),
      );
      const pods = follow(silentOnce, { initialList: 'pages', watchTimeout: [10, 10], grace: 5_000 });
      expectQuery(pods, allObjects(), '^ 20s !').toBe('(ab)');
      expectStatus(pods, '^ 19s !').toBe('w 14999ms [rw]');
    });
  });

  it('G9: a watch that the API server ends after its timeout is opened again, and nothing is missed', () => {
    informerTest(objects, ({ cold, expectQuery }) => {
      const server = createInMemoryApiServer();
      server.apply(a);
      cold('9m b', { b }).subscribe((pod) => server.apply(pod));
      cold('11m d').subscribe(() => server.remove(podResource, 'a', 'default'));
      expectQuery(follow(server.client), bucket('node', 'n1'), '^ 12m !').toBe('a 539999ms (ab) 119996ms b');
    });
  });

  it('I6 G9: resync emits the current objects again, each period', () => {
    informerTest(objects, ({ source, expectObservable }) => {
      const resyncs = informer(source('L(ab)')).changes$.pipe(
        resync(30_000),
        filter(({ reason }) => reason === 'resync'),
        map(({ changes }) => changes.length),
      );
      expectObservable(resyncs, '^ 70s !').toBe('30s x 29999ms x', { x: 2 });
    });
  });

  it('G8 G9: lingering keeps the source for its duration, and not longer', () => {
    informerTest(objects, ({ source, expectStatus, expectQuery }) => {
      const pods = informer(source('L(a)-S(w)'), { linger: 5_000 });
      expectStatus(pods, '^ 10s !').toBe('s--[lw]-w 6995ms s');
      expectQuery(pods, allObjects(), '---^ 2s !').toBe('---a');
    });
  });
});
