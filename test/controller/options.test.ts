import { fromEvents, informer, type Pod } from 'rx-informers';
import {
  controller,
  workqueue,
  type WorkqueueOptions,
  eventRecorder,
  leader$,
  membership$,
  silentLogger,
  type Logger,
  fastSlow,
  requeueAfter,
  TerminalError,
  type ControllerOptions,
  type QueueMetrics,
  type RateLimiter,
  type ReconcileEvent,
  type ReconcileMetrics,
} from 'rx-informers/controller';
import { manager } from 'rx-informers/node';
import { watchEvent } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { NEVER, filter, map, type Observable, of, Subject } from 'rxjs';
import { PriorityQueue } from '../../src/controller/queue/priority-queue.js';
import { aSite, store, type Thing } from './reconcile/support/stores.js';

const { listed } = watchEvent;

const pods = informer<Pod>(fromEvents([listed([], '1')]));

const reconcile = (): void => undefined;

const valid = { for: pods, reconcile };

const stop$ = Promise.resolve();

/** Invalid options from JavaScript, which no compiler checks, and the expected messages. */
function byMessage(cases: readonly (readonly [options: unknown, message: string])[]) {
  return cases.map(([options, message]) => ({ options, message }));
}

describe('invalid options from JavaScript are refused at once, with a hint what to pass', () => {
  it.each(
    byMessage([
      [{ ...valid, concurrency: 1.5 }, 'concurrency must be a whole number of at least 1, or Infinity, not 1.5'],
      [{ ...valid, concurrency: '4' }, 'concurrency must be a whole number of at least 1, or Infinity, not "4"'],
      [{ ...valid, maxRetries: 0.5 }, 'maxRetries must be a whole number of at least 0, or Infinity, not 0.5'],
      [{ ...valid, timeout: '5s' }, 'timeout must be between 0 and 2147483647 ms, not "5s"'],
      [
        { ...valid, rateLimiter: { when: () => 5 } },
        'rateLimiter must be a function that returns a limiter, such as () => itemExponentialBackoff(), not {"when":"…"}',
      ],
      [{ for: pods }, 'reconcile must be a function, such as async ({ object, signal }) => { … }, not undefined'],
      [{ reconcile }, 'for must be a collection, such as an informer, or { source: collection }, not undefined'],
      [
        { ...valid, for: { source: 'pods' } },
        'for must be a collection, such as an informer, or { source: collection }, not "pods"',
      ],
      [
        { ...valid, owns: [pods, stop$] },
        'owns[1] must be a collection, such as an informer, or { source: collection }, not an instance of Promise',
      ],
      [{ ...valid, owns: pods }, 'owns must be an array, such as [deployments], not an instance of SourceInformer'],
      [
        { ...valid, watches: [{ source: pods }] },
        'watches[0].map must be a function that returns keys, such as (object) => [key], not undefined',
      ],
      [
        { ...valid, watches: [{ source: stop$, map: () => [] }] },
        'watches[0].source must be a collection, such as an informer, or an Observable, not an instance of Promise',
      ],
      [
        { ...valid, watches: [pods] },
        'watches[0].source must be a collection, such as an informer, or an Observable, not undefined',
      ],
      [{ ...valid, stop$ }, 'stop$ must be an Observable, such as from(…) of rxjs, not an instance of Promise'],
      [{ ...valid, stop$: () => NEVER }, 'stop$ must be an Observable, such as from(…) of rxjs, not a function'],
    ]),
  )('controller() refuses an option: $message', ({ options, message }) => {
    expect(() => controller(options as never)).toThrow(message);
  });

  it.each(
    byMessage([
      [
        [undefined, {}],
        'the argument of workqueue must be a function, such as async (key, { signal }) => { … }, not undefined',
      ],
      [
        [reconcile, { drainUntil: stop$ }],
        'drainUntil must be an Observable, such as from(…) of rxjs, not an instance of Promise',
      ],
      [[reconcile, { startWhen: 5 }], 'startWhen must be an Observable, such as from(…) of rxjs, not 5'],
    ]),
  )('workqueue() refuses an option: $message', ({ options, message }) => {
    const [project, others] = options as [() => void, WorkqueueOptions];
    expect(() => workqueue(project, others)).toThrow(message);
  });

  it.each(
    byMessage([
      [{}, 'controllers must be an array of controllers created by controller(…), not undefined'],
      [
        { controllers: controller(valid) },
        'controllers must be an array of controllers created by controller(…), not an instance of SubscribableController',
      ],
      [
        { controllers: [controller(valid)], stop$ },
        'stop$ must be an Observable, such as from(…) of rxjs, not an instance of Promise',
      ],
      [
        { controllers: [NEVER] },
        'controllers[0] must be a controller created by controller(…), not an instance of Observable',
      ],
    ]),
  )('manager() refuses an option: $message', ({ options, message }) => {
    expect(() => manager(options as never)).toThrow(message);
  });
});

const lease = { namespace: 'default', name: 'operator' };

// A lease is renewed some hundred times in it.
const tenMinutes = 600_000;

function setUp() {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  const hooks: unknown[] = [];
  const logger: Logger = { ...silentLogger, warn: ({ hook }) => hook !== undefined && hooks.push(hook) };
  return { clock, client: server.client, scheduler: clock, logger, hooks };
}

function record<T>(values$: Observable<T>): T[] {
  const values: T[] = [];
  values$.subscribe((value) => values.push(value));
  return values;
}

describe('an option that throws stops nothing', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  const brokenLogger: Logger = { debug: broken, info: broken, warn: broken, error: broken };

  it('leader$: if random throws, it continues to lead, and logs the error once', () => {
    const { clock, client, scheduler, logger, hooks } = setUp();
    const states = record(leader$(client, { lease, identity: 'a', scheduler, logger, random: broken }));
    clock.advance(tenMinutes);
    expect(states.map(({ type }) => type)).toEqual(['standby', 'leading']);
    expect(hooks).toEqual(['random']);
  });

  it('membership$: if random throws, it continues to own keys, and logs the error once', () => {
    const { clock, client, scheduler, logger, hooks } = setUp();
    const state$ = membership$(client, { group: lease, identity: 'a', scheduler, logger, random: broken });
    const owns = record(state$.pipe(map(({ owns: isOwned }) => isOwned('web/a'))));
    clock.advance(tenMinutes);
    expect(owns.at(-1)).toBe(true);
    expect(hooks).toEqual(['random']);
  });

  it.each([
    ['logger', { logger: brokenLogger }],
    ['random', { random: broken }],
    ['random returns NaN', { random: () => NaN }],
  ])('eventRecorder: if %s, events are still written', (_what, options) => {
    const { clock, client, scheduler } = setUp();
    const recorder = eventRecorder(client, { reportingController: 'example.com/operator', scheduler, ...options });
    const written = record(recorder.outcomes$.pipe(filter(({ type }) => type === 'written')));
    const details = { type: 'Normal', reason: 'Tested', action: 'Test', note: 'a test' } as const;
    recorder.record(aPod({ name: 'a', namespace: 'default' }), details);
    clock.advance(1_000);
    recorder.record(aPod({ name: 'b', namespace: 'default' }), details);
    clock.advance(1_000);
    expect(written).toHaveLength(2);
    recorder.unsubscribe();
  });
});

describe('hooks that throw', () => {
  const broken = (hook: string) => (): never => {
    throw new Error(`${hook} is broken`);
  };

  /** An object of hooks that all throw, each with its own message. */
  function brokenHooks<H extends object>(...names: readonly (keyof H & string)[]): H {
    return Object.fromEntries(names.map((name) => [name, broken(name)])) as H;
  }

  const metrics = brokenHooks<ReconcileMetrics>('concurrency', 'started', 'finished');

  const queueMetrics = brokenHooks<QueueMetrics>('opened', 'added', 'taken', 'finished', 'delayed', 'closed');

  const logger = brokenHooks<typeof silentLogger>('debug', 'info', 'warn', 'error');

  /** Four objects: one is fine, one wants to run again, one fails once, one fails for good. */
  function start(options: Partial<ControllerOptions<Thing>>) {
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    const events: ReconcileEvent[] = [];
    let isComplete = false;
    const running = controller({
      for: store(aSite('fine'), aSite('again'), aSite('fails'), aSite('terminal')),
      rateLimiter: () => fastSlow({ fast: 10, slow: 10, fastAttempts: 0 }),
      scheduler: clock,
      stop$,
      ...(options as object),
      reconcile: ({ key, attempt, logger: log }) => {
        log.info({}, 'reconciling');
        if (key === 'again' && attempt === 1) return requeueAfter(1_000);
        if (key === 'terminal') throw new TerminalError('never');
        if (key === 'fails' && attempt === 1) throw new Error('once');
        return undefined;
      },
    }).subscribe({ next: (event) => events.push(event), complete: () => (isComplete = true) });
    clock.advance(100);
    const failed = (): readonly string[] =>
      events.flatMap((event) => (event.type === 'hook-failed' ? [`${event.hook}: ${String(event.error)}`] : []));
    const ended = events.flatMap((event) =>
      event.type === 'succeeded' || event.type === 'failed' ? [`${event.key} ${event.type}`] : [],
    );
    return {
      ended,
      failed,
      running,
      stop: (): boolean => {
        stop$.next();
        return isComplete;
      },
    };
  }

  const everything = ['again succeeded', 'fails failed', 'fails succeeded', 'fine succeeded', 'terminal failed'];

  describe('controller: a hook that throws stops nothing, and is reported once', () => {
    it('metrics hooks that throw end no run, and are reported once', () => {
      const { ended, failed, stop } = start({ metrics });
      expect(ended.toSorted()).toEqual(everything);
      expect(stop()).toBe(true);
      expect(failed()).toEqual([
        'metrics.concurrency: Error: concurrency is broken',
        'metrics.started: Error: started is broken',
        'metrics.finished: Error: finished is broken',
      ]);
    });

    it('queueMetrics hooks that throw end no run, and are reported once', () => {
      const { ended, failed, stop } = start({ queueMetrics });
      expect(ended.toSorted()).toEqual(everything);
      expect(stop()).toBe(true);
      expect(
        failed()
          .map((line) => line.split(':')[0])
          .toSorted(),
      ).toEqual(['added', 'closed', 'delayed', 'finished', 'opened', 'taken'].map((name) => `queueMetrics.${name}`));
    });

    it('a logger that throws ends no run, also in a run', () => {
      const { ended, failed, stop } = start({ logger });
      expect(ended.toSorted()).toEqual(everything);
      expect(stop()).toBe(true);
      expect(
        failed()
          .map((line) => line.split(':')[0])
          .toSorted(),
      ).toEqual(['debug', 'error', 'info', 'warn'].map((level) => `logger.${level}`));
    });

    it('all hooks throw at once, and the queue can be unsubscribed from', () => {
      const { ended, running } = start({ logger, metrics, queueMetrics });
      expect(ended.toSorted()).toEqual(everything);
      expect(() => {
        running.unsubscribe();
      }).not.toThrow();
    });

    it('the logger reports that a metrics hook has failed', () => {
      const warnings: unknown[] = [];
      start({
        metrics,
        logger: { ...silentLogger, warn: ({ hook, error }, message) => hook && warnings.push([hook, error, message]) },
      });
      const message = 'a hook threw, and its error was ignored; later errors of this hook are not reported';
      expect(warnings).toEqual([
        ['metrics.concurrency', new Error('concurrency is broken'), message],
        ['metrics.started', new Error('started is broken'), message],
        ['metrics.finished', new Error('finished is broken'), message],
      ]);
    });

    it('hooks are called as methods of their object', () => {
      class Counter implements ReconcileMetrics {
        count = 0;
        concurrency(): void {
          this.count++;
        }
        started(): void {
          this.count++;
        }
        finished(): void {
          this.count++;
        }
        observed(): void {
          this.count++;
        }
      }
      const counter = new Counter();
      const { failed } = start({ metrics: counter });
      expect(failed()).toEqual([]);
      expect(counter.count).toBe(1 + 2 * everything.length);
    });

    it('a rate limiter that throws when it is created is replaced by the default', () => {
      const { ended, failed } = start({ rateLimiter: broken('rateLimiter') });
      expect(ended.toSorted()).toEqual(everything);
      expect(failed()).toEqual(['rateLimiter: Error: rateLimiter is broken']);
    });

    it('a rate limiter that throws in forget() does not stop the controller', () => {
      const limiter: RateLimiter = { when: () => 10, forget: broken('forget') };
      const { ended, failed } = start({ rateLimiter: () => limiter });
      expect(ended.toSorted()).toEqual(everything);
      expect(failed()).toEqual(['rateLimiter.forget: Error: forget is broken']);
    });
  });

  describe('workqueue: metrics hooks that throw', () => {
    it('continues if hooks throw, and reports each hook once', () => {
      const words: string[] = [];
      of('a', 'b')
        .pipe(workqueue((key) => key, { metrics: queueMetrics }))
        .subscribe({
          next: (event) => words.push(event.type === 'hook-failed' ? event.hook : event.type),
          complete: () => words.push('complete'),
        });
      expect(words.filter((word) => word === 'succeeded')).toHaveLength(2);
      expect(words.filter((word) => word.startsWith('metrics.')).toSorted()).toEqual(
        ['added', 'closed', 'finished', 'opened', 'taken'].map((name) => `metrics.${name}`),
      );
      expect(words.at(-1)).toBe('complete');
    });

    it('a PriorityQueue ignores errors that hooks throw', () => {
      const queue = new PriorityQueue({ metrics: queueMetrics });
      queue.add('a');
      queue.addAfter('b', 60_000);
      expect(queue.tryGet()?.key).toBe('a');
      queue.done('a');
      expect(queue.shutDown().map(({ key }) => key)).toEqual(['b']);
    });
  });
});
