import { jest } from '@jest/globals';
import {
  createIndexer,
  indexByNode,
  informer,
  type Informer,
  type InformerOptions,
  type Pod,
  addEventHandler,
} from 'rx-informers';
import { controller } from 'rx-informers/controller';
import { metaNamespaceKey, type WatchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { Subject, VirtualTimeScheduler, type Observable } from 'rxjs';

/**
 * An informer with one pod on `worker-1`, and its reports; `block` lets time pass, like a slow
 * subscriber does.
 */
function running(options: Partial<InformerOptions<Pod, 'node'>> = {}) {
  const scheduler = new VirtualTimeScheduler();
  const block = (milliseconds: number): void => {
    scheduler.frame += milliseconds;
  };
  const source = new Subject<WatchEvent<Pod>>();
  const reported: [stream: string, took: number][] = [];
  const onSlowSubscriber: InformerOptions<Pod, 'node'>['onSlowSubscriber'] = ({ stream, took }) => {
    reported.push([stream, took]);
  };
  const indexers = { node: indexByNode };
  const all = informer(source, { scheduler, name: 'web pods', onSlowSubscriber, ...options, indexers });
  all.connect();
  source.next({ type: 'LISTED', items: [aPod({ name: 'a', node: 'worker-1' })], resourceVersion: '1' });
  let version = 1;
  const change = (): void => {
    version += 1;
    source.next({
      type: 'MODIFIED',
      object: aPod({ name: 'a', node: 'worker-1', resourceVersion: String(version), labels: { v: String(version) } }),
    });
  };
  return { pods: all, scheduler, source, block, change, reported };
}

/** Runs a test with the settings of a production build. */
async function inProduction(run: () => void | Promise<void>): Promise<void> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    await run();
  } finally {
    process.env['NODE_ENV'] = before;
  }
}

const streams: [name: string, of: (pods: Informer<Pod, 'node'>) => Observable<unknown>][] = [
  ["byIndex$('node', 'worker-1')", (pods) => pods.byIndex$('node', 'worker-1')],
  ["byIndexChanges$('node', 'worker-1')", (pods) => pods.byIndexChanges$('node', 'worker-1')],
  ["index$('node')", (pods) => pods.index$('node', aPod({ name: 'b', node: 'worker-1' }))],
  ["get$('default/a')", (pods) => pods.get$('default/a')],
  ['list$', (pods) => pods.list$()],
  ['list$', (pods) => pods.list$({})],
  ['changes$', (pods) => pods.changes$],
  ['select$', (pods) => pods.select$((snapshot) => snapshot.list())],
  ['snapshot$', (pods) => pods.snapshot$],
];

describe('G11: a subscriber that blocks the event loop', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(streams)('is reported at its second slow delivery, with the name of its stream: %s', (name, of) => {
    const { pods, block, change, reported } = running();
    let isSlow = false;
    of(pods).subscribe(() => {
      if (isSlow) block(51);
    });
    isSlow = true;
    change();
    expect(reported).toEqual([]);
    change();
    expect(reported).toEqual([[name, 51]]);
  });

  it('is reported also if the time is spent in a function passed to select$', () => {
    const { pods, block, change, reported } = running();
    const project = (): void => {
      block(55);
    };
    pods.select$(project).subscribe();
    change();
    expect(reported).toEqual([['select$', 55]]);
  });

  it('is found among fast subscribers, and reported once for its stream', () => {
    const { pods, block, change, reported } = running();
    for (let i = 0; i < 10; i += 1) pods.byIndex$('node', 'worker-1').subscribe();
    pods.list$().subscribe(() => {
      block(60);
    });
    pods.changes$.subscribe();
    change();
    change();
    expect(reported).toEqual([['list$', 60]]);
  });

  it('is not reported below 50 ms', () => {
    const { pods, block, change, reported } = running();
    pods.list$().subscribe(() => {
      block(50);
    });
    change();
    expect(reported).toEqual([]);
  });

  it('is reported also for the first values of two subscribers', () => {
    const { pods, block, reported } = running();
    for (let i = 0; i < 2; i += 1)
      pods.get$('default/a').subscribe(() => {
        block(80);
      });
    expect(reported).toEqual([["get$('default/a')", 80]]);
  });

  it('is not reported for one slow delivery, as of code that runs for the first time', () => {
    const { pods, block, change, reported } = running();
    let isFirst = true;
    pods.list$().subscribe(() => {
      if (isFirst) block(500);
      isFirst = false;
    });
    for (let i = 0; i < 10; i += 1) change();
    expect(reported).toEqual([]);
  });

  it('is not reported if it is a part of the library, such as a controller whose runs begin in the delivery', () => {
    const { pods, scheduler, block, change, reported } = running();
    const runs: string[] = [];
    const running$ = controller({
      for: pods,
      scheduler,
      reconcile: ({ key }) => {
        runs.push(key);
        block(200);
      },
    });
    running$.subscribe();
    for (let i = 0; i < 3; i += 1) {
      change();
      scheduler.flush();
    }
    expect(runs.length).toBeGreaterThan(1);
    expect(reported).toEqual([]);
  });

  describe('by the clock of the machine', () => {
    /** Computes, or only waits, for 60 ms in each delivery of the changes of one object. */
    function delivering(deliver: () => void): readonly string[] {
      const reported: string[] = [];
      const all = createIndexer<Pod>(metaNamespaceKey, {}, { onSlowSubscriber: ({ stream }) => reported.push(stream) });
      all.changes$.subscribe(deliver);
      for (const version of ['1', '2', '3']) all.update(aPod({ name: 'a', resourceVersion: version }));
      return reported;
    }

    it('is reported if it computes for 60 ms', () => {
      expect(
        delivering(() => {
          const { user } = process.cpuUsage();
          while (process.cpuUsage().user - user < 60_000);
        }),
      ).toEqual(['changes$']);
    });

    it('is not reported if another process has the processor meanwhile', () => {
      const asleep = new Int32Array(new SharedArrayBuffer(4));
      expect(
        delivering(() => {
          Atomics.wait(asleep, 0, 0, 60);
        }),
      ).toEqual([]);
    });
  });

  it('is reported as an event handler if it is one: for a change, and a resync', () => {
    for (const phase of ['change', 'resync'] as const) {
      const { pods, scheduler, block, change, reported } = running();
      let now = '';
      const slowIn = (current: string) => () => {
        if (now === phase && current === phase) block(70);
      };
      const registration = addEventHandler(
        pods,
        {
          onUpdate: (_old, _new, { isResync }) => slowIn(isResync ? 'resync' : 'change')(),
        },
        { resyncPeriod: 1_000 },
      );
      now = phase;
      scheduler.maxFrames = 2_500;
      scheduler.flush();
      change();
      change();
      scheduler.maxFrames = scheduler.frame + 10;
      scheduler.flush();
      registration.unsubscribe();
      expect([phase, reported]).toEqual([phase, [['addEventHandler', 70]]]);
    }
  });

  it('is reported alone, without the stream in whose subscriber it was subscribed', () => {
    const { pods, block, change, reported } = running();
    pods.list$().subscribe(() => {
      pods.get$('default/a').subscribe(() => {
        block(90);
      });
    });
    change();
    expect(reported).toEqual([["get$('default/a')", 90]]);
  });

  it('is reported by console.warn in development, with the informer, the stream, the time and a hint', () => {
    const warned = jest.spyOn(console, 'warn').mockReturnValue();
    const { pods, block, change } = running({ onSlowSubscriber: undefined });
    pods.changes$.subscribe(() => {
      block(120);
    });
    change();
    expect(warned.mock.calls).toEqual([[expect.stringMatching(/^web pods: .*changes\$.* 120 ms.*conflateChanges/)]]);
  });

  it('is neither measured nor reported in production, unless a reporter is given', async () => {
    await inProduction(() => {
      const warned = jest.spyOn(console, 'warn').mockReturnValue();
      const silent = running({ onSlowSubscriber: undefined });
      const clock = jest.spyOn(silent.scheduler, 'now');
      silent.pods.list$().subscribe(() => {
        silent.block(120);
      });
      clock.mockClear();
      silent.change();
      const read = clock.mock.calls.length;
      silent.pods.connect();
      expect(warned).not.toHaveBeenCalled();

      const received = running();
      const clockOfEvents = jest.spyOn(received.scheduler, 'now');
      received.pods.list$().subscribe(() => {
        received.block(120);
      });
      clockOfEvents.mockClear();
      received.change();
      expect(received.reported).toEqual([['list$', 120]]);
      expect(clockOfEvents.mock.calls.length - read).toBe(2);
    });
  });

  it('is reported without effect on others if the reporter throws; rxjs reports that error', () => {
    jest.useFakeTimers();
    try {
      const { pods, block, change } = running({
        onSlowSubscriber: () => {
          throw new Error('a mistake in the reporter');
        },
      });
      const seen: number[] = [];
      pods.list$().subscribe(() => {
        block(60);
      });
      pods.list$().subscribe((list) => seen.push(list.length));
      change();
      expect(seen).toEqual([1, 1]);
      expect(() => jest.runAllTimers()).toThrow('a mistake in the reporter');
    } finally {
      jest.useRealTimers();
    }
  });

  it('is reported by an indexer that is written to directly', () => {
    const scheduler = new VirtualTimeScheduler();
    const reported: string[] = [];
    const pods = createIndexer<Pod>(
      metaNamespaceKey,
      {},
      { scheduler, onSlowSubscriber: ({ message }, name) => reported.push(`${name}: ${message}`) },
    );
    pods.changes$.subscribe(() => {
      scheduler.frame += 60;
    });
    pods.add(aPod({ name: 'a' }));
    pods.add(aPod({ name: 'b' }));
    expect(reported).toEqual([expect.stringMatching(/^indexer: .*changes\$.* 60 ms/)]);
  });
});

describe('G11: the duration of announcements', () => {
  it('is emitted for each commit, for all subscribers together', () => {
    const { pods, block, change, source } = running({ onSlowSubscriber: undefined });
    pods.list$().subscribe(() => {
      block(20);
    });
    pods.changes$.subscribe(() => {
      block(10);
    });
    const took: number[] = [];
    const measuring = pods.announcementTimes$.subscribe((milliseconds) => took.push(milliseconds));
    change();
    change();
    source.next({ type: 'BOOKMARK', resourceVersion: '9' });
    measuring.unsubscribe();
    change();
    expect(took).toEqual([30, 30]);
  });

  it('is not measured without a subscriber, and does not keep the informer running', () => {
    const pods = informer(new Subject<WatchEvent<Pod>>());
    pods.announcementTimes$.subscribe();
    pods.announcementDelays$.subscribe();
    expect(pods.isRunning).toBe(false);
  });
});
