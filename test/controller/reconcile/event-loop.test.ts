import { controller, newlyOwnedKeys, changedKeys, workqueue, type WorkqueueEvent } from 'rx-informers/controller';
import {
  asyncScheduler,
  concat,
  EMPTY,
  finalize,
  NEVER,
  of,
  Subject,
  take,
  tap,
  timer,
  type SchedulerAction,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import { FakeMembership } from '../membership/support/fake-membership.js';
import { aSite, store } from './support/stores.js';

/**
 * A real event loop with a clock that only work advances: by a millisecond for each piece. `most`
 * is how many pieces of work were done in one task of the event loop, including its microtasks.
 * Each timer of the clock is a task.
 */
class WorkClock implements SchedulerLike {
  most = 0;
  #done = 0;
  #inTask = 0;
  readonly #timers = new Set<Subscription>();

  /** The number of timers that have neither fired nor been cancelled. */
  get timers(): number {
    return [...this.#timers].filter(({ closed }) => !closed).length;
  }

  now(): number {
    return this.#done;
  }

  schedule<T>(work: (this: SchedulerAction<T>, state?: T) => void, delay?: number, state?: T): Subscription {
    const beginTask = (): void => {
      this.#inTask = 0;
    };
    const timer = asyncScheduler.schedule<T>(
      function (this: SchedulerAction<T>, latest?: T) {
        beginTask();
        work.call(this, latest);
      },
      delay,
      state,
    );
    this.#timers.add(timer);
    return timer;
  }

  readonly work = (): void => {
    this.#done += 1;
    this.#inTask += 1;
    this.most = Math.max(this.most, this.#inTask);
  };
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const sites = (count: number) => store(...names(count).map((name) => aSite(name)));

describe('the event loop is free after at most 8 ms of work', () => {
  let clock: WorkClock;
  beforeEach(() => {
    clock = new WorkClock();
  });

  it.each([
    ['are synchronous', () => clock.work()],
    [
      'await only settled promises',
      async () => {
        await Promise.resolve();
        clock.work();
      },
    ],
    [
      'work before they await a settled promise',
      async () => {
        clock.work();
        await Promise.resolve();
      },
    ],
  ])('W7: while 300 queued runs that %s follow each other', async (_name, run) => {
    const events: string[] = [];
    await of(...names(300))
      .pipe(workqueue(run, { scheduler: clock, startWhen: timer(0) }))
      .forEach(({ type }) => void events.push(type));
    expect(events.filter((type) => type === 'succeeded')).toHaveLength(300);
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('W7: while a run triggers itself', async () => {
    const source = new Subject<string>();
    await source
      .pipe(
        workqueue(
          () => {
            clock.work();
            source.next('a');
          },
          { scheduler: clock },
        ),
        tap({ subscribe: () => queueMicrotask(() => source.next('a')) }),
        take(300),
      )
      .forEach(() => undefined);
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while a controller maps an initial list of 300 objects', async () => {
    const stop$ = new Subject<void>();
    const watched = sites(300);
    let mapped = 0;
    await controller({
      for: store(aSite('site')),
      watches: [
        {
          source: watched,
          map: () => {
            clock.work();
            mapped += 1;
            if (mapped === 300) stop$.next();
            return [];
          },
        },
      ],
      reconcile: () => undefined,
      scheduler: clock,
      stop$,
    }).forEach(() => undefined);
    expect(mapped).toBe(300);
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while the keys of a long change set are queued', async () => {
    const taken: string[] = [];
    await sites(300)
      .changes$.pipe(
        take(1),
        changedKeys({ scheduler: clock }),
        tap(({ key }) => {
          clock.work();
          taken.push(key);
        }),
      )
      .forEach(() => undefined);
    expect(taken).toEqual(names(300).toSorted());
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while 300 keys are gained by a replica', async () => {
    const membership = new FakeMembership(...names(300));
    const gained: string[] = [];
    await newlyOwnedKeys(sites(300), membership, { scheduler: clock })
      .pipe(
        tap(({ key }) => {
          clock.work();
          gained.push(key);
        }),
        take(300),
      )
      .forEach(() => undefined);
    expect(gained).toEqual(names(300).toSorted());
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while 300 keys are dropped', async () => {
    const events: WorkqueueEvent[] = [];
    const drainUntil = new Subject<void>();
    await concat(
      of(...names(300)),
      EMPTY.pipe(
        finalize(() =>
          setImmediate(() => {
            drainUntil.next();
          }),
        ),
      ),
    )
      .pipe(
        workqueue(() => NEVER, { scheduler: clock, drainUntil }),
        tap((event) => {
          events.push(event);
          if (event.type === 'dropped') clock.work();
        }),
      )
      .forEach(() => undefined);
    expect(events.map(({ type }) => type).toSorted()).toEqual(
      ['started', ...Array(299).fill('dropped'), 'failed'].toSorted(),
    );
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while 300 delayed keys are dropped', async () => {
    const dropped: string[] = [];
    await of(...names(300).map((key, index) => ({ key, delay: 300 + index })))
      .pipe(workqueue(() => undefined, { scheduler: clock }))
      .forEach((event) => {
        if (event.type === 'dropped') dropped.push(event.key);
        clock.work();
      });
    expect(dropped).toEqual(names(300));
    expect(clock.most).toBeLessThanOrEqual(50);
  });

  it('while 300 keys that were debounced are queued', async () => {
    const queued: string[] = [];
    const hook = new Subject<number>();
    const stop$ = new Subject<void>();
    const events$ = controller({
      for: store(aSite('site')),
      watches: [{ source: hook, map: () => names(300) }],
      reconcile: ({ key }) => void queued.push(key),
      queueMetrics: { added: clock.work },
      debounce: 10,
      scheduler: clock,
      stop$,
    });
    const ended = events$.forEach(() => undefined);
    hook.next(1);
    setImmediate(() => {
      stop$.next();
    });
    await ended;
    expect(queued).toEqual(['site', ...names(300)]);
    expect(clock.most).toBeLessThanOrEqual(50);
  });
});

describe('slices of a long change set', () => {
  it('are followed by changes that arrive meanwhile, in order', async () => {
    const clock = new WorkClock();
    const watched = sites(100);
    const stop$ = new Subject<void>();
    const mapped: string[] = [];
    await controller({
      for: store(aSite('site')),
      watches: [
        {
          source: watched,
          map: ({ metadata: { name } }) => {
            clock.work();
            mapped.push(name);
            if (mapped.length === 5) {
              watched.update(aSite('n0'));
              watched.update(aSite('n1'));
            }
            if (mapped.length === 104) stop$.next();
            return [];
          },
        },
      ],
      reconcile: () => undefined,
      scheduler: clock,
      stop$,
    }).forEach(() => undefined);
    // An update is mapped in both versions.
    expect(mapped).toEqual([...names(100).toSorted(), 'n0', 'n0', 'n1', 'n1']);
  });

  it('are cut off by stop$: untriggered changes are not reconciled', async () => {
    const clock = new WorkClock();
    const stop$ = new Subject<void>();
    const reconciled: string[] = [];
    let mapped = 0;
    await controller({
      for: store(aSite('site')),
      watches: [
        {
          source: sites(100),
          map: ({ metadata: { name } }) => {
            clock.work();
            mapped += 1;
            if (mapped === 20) stop$.next();
            return name;
          },
        },
      ],
      reconcile: ({ key }) => void reconciled.push(key),
      scheduler: clock,
      stop$,
    }).forEach(() => undefined);
    expect(mapped).toBe(20);
    expect(reconciled.toSorted()).toEqual([...names(100).toSorted().slice(0, 19), 'site']);
  });

  it('leave no timer if the controller is unsubscribed from in between', async () => {
    const clock = new WorkClock();
    let mapped = 0;
    const map = (): string => {
      clock.work();
      mapped += 1;
      return 'a';
    };
    const options = { for: store(aSite('site')), watches: [{ source: sites(100), map }], reconcile: () => undefined };
    controller({ ...options, scheduler: clock })
      .subscribe()
      .unsubscribe();
    expect([mapped, clock.timers]).toEqual([8, 0]);
  });
});

describe('a key that arrives alone', () => {
  it('runs at once, even if the event loop has been busy for long', () => {
    const clock = new WorkClock();
    const source = new Subject<string>();
    const ran: string[] = [];
    source.pipe(workqueue((key) => void ran.push(key), { scheduler: clock })).subscribe();
    for (const key of names(100)) {
      clock.work();
      source.next(key);
    }
    expect(ran).toEqual(names(100));
  });
});
