import { of, Subject } from 'rxjs';
import {
  controller,
  fastSlow,
  requeueAfter,
  silentLogger,
  TerminalError,
  workqueue,
  priorityQueue,
  type ControllerOptions,
  type QueueMetrics,
  type RateLimiter,
  type ReconcileEvent,
  type ReconcileMetrics,
} from 'rx-informers/controller';
import { aSite, store, type Thing } from './support/stores.js';
import { virtualClock } from 'rx-informers/testing';

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

describe('controller: a hook that throws ends nothing, and is reported once', () => {
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

  it('a logger, also that of a run', () => {
    const { ended, failed, stop } = start({ logger });
    expect(ended.toSorted()).toEqual(everything);
    expect(stop()).toBe(true);
    expect(
      failed()
        .map((line) => line.split(':')[0])
        .toSorted(),
    ).toEqual(['debug', 'error', 'info', 'warn'].map((level) => `logger.${level}`));
  });

  it('all of them at once, and a queue that is unsubscribed from', () => {
    const { ended, running } = start({ logger, metrics, queueMetrics });
    expect(ended.toSorted()).toEqual(everything);
    expect(() => {
      running.unsubscribe();
    }).not.toThrow();
  });

  it('the logger says that a metrics hook has failed', () => {
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
    }
    const counter = new Counter();
    const { failed } = start({ metrics: counter });
    expect(failed()).toEqual([]);
    expect(counter.count).toBe(1 + 2 * everything.length);
  });

  it('a rate limiter that cannot be made is replaced by the default', () => {
    const { ended, failed } = start({ rateLimiter: broken('rateLimiter') });
    expect(ended.toSorted()).toEqual(everything);
    expect(failed()).toEqual(['rateLimiter: Error: rateLimiter is broken']);
  });

  it('a rate limiter that cannot forget a key', () => {
    const limiter: RateLimiter = { when: () => 10, forget: broken('forget'), requeues: () => 0 };
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

  it('a PriorityQueue ignores what they throw', async () => {
    const queue = priorityQueue({ metrics: queueMetrics });
    queue.add('a');
    queue.addAfter('b', 60_000);
    expect((await queue.get())?.key).toBe('a');
    queue.done('a');
    expect(queue.shutDown().map(({ key }) => key)).toEqual(['b']);
  });
});
