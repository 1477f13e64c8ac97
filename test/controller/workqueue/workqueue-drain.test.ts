import { type QueueInput, type WorkqueueEvent, workqueue } from 'rx-informers/controller';
import {
  concat,
  concatWith,
  EMPTY,
  ignoreElements,
  NEVER,
  of,
  Subject,
  timer,
  VirtualTimeScheduler,
  type Observable,
} from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { fail, received } from './support/recorded-events.js';

const never = (): Observable<never> => NEVER;

describe('workqueue: startWhen', () => {
  it('holds all runs back, merges additions of a key meanwhile, and begins with the highest priority', () => {
    const lines = received(
      () => undefined,
      () => of<QueueInput[]>('low', { key: 'high', priority: 5 }, 'low').pipe(concatWith(NEVER)),
      { startWhen: timer(10) },
    );
    expect(lines).toEqual(['10 high started', '10 high succeeded', '10 low started', '10 low succeeded']);
  });

  it('starts when the notifier completes without a value', () => {
    const lines = received(
      () => undefined,
      () => concat(of('a'), NEVER),
      { startWhen: timer(10).pipe(ignoreElements()) },
    );
    expect(lines).toEqual(['10 a started', '10 a succeeded']);
  });

  it('waits for the notifier even if the source has completed', () => {
    const lines = received(
      () => undefined,
      () => of('a'),
      { startWhen: timer(10) },
    );
    expect(lines).toEqual(['10 a started', '10 a succeeded', '10 complete']);
  });

  it('completes without the notifier if the source emitted nothing', () => {
    const lines = received(
      () => undefined,
      () => EMPTY,
      { startWhen: NEVER },
    );
    expect(lines).toEqual(['0 complete']);
  });

  it('passes an error of the notifier on', () => {
    const lines = received(
      () => undefined,
      () => NEVER,
      { startWhen: fail('broken') },
    );
    expect(lines).toEqual(['0 error broken']);
  });

  it('unsubscribes from the notifier with its subscriber', () => {
    const startWhen = new Subject<void>();
    const subscription = NEVER.pipe(workqueue(never, { startWhen })).subscribe();
    expect(startWhen.observed).toBe(true);
    subscription.unsubscribe();
    expect(startWhen.observed).toBe(false);
  });
});

describe('workqueue: completion', () => {
  it('reports dropped keys even if nothing else is left to do', () => {
    const lines = received(
      () => undefined,
      () => of<QueueInput[]>({ key: 'a', delay: 50 }, { key: 'b', delay: 60 }),
    );
    expect(lines).toEqual(['0 a dropped', '0 b dropped', '0 complete']);
  });
});

describe('workqueue: drainUntil', () => {
  it('aborts running keys and drops waiting ones, and reports all of them', () => {
    const lines = received(never, () => of('a', 'b', 'c'), { concurrency: 2, drainUntil: timer(10) });
    expect(lines).toEqual([
      '0 a started',
      '0 b started',
      '10 c dropped',
      '10 a failed: stopping',
      '10 b failed: stopping',
      '10 complete',
    ]);
  });

  it('is subscribed to only when the source completes', () => {
    const lines = received(never, () => concat(of('a'), timer(5).pipe(ignoreElements())), { drainUntil: timer(10) });
    expect(lines).toEqual(['0 a started', '15 a failed: stopping', '15 complete']);
  });

  it('does not affect a drain that completes earlier', () => {
    const lines = received(
      () => timer(5),
      () => of('a'),
      { drainUntil: timer(10) },
    );
    expect(lines).toEqual(['0 a started', '5 a emitted 0', '5 a succeeded', '5 complete']);
  });

  it('aborts the signal with an RXI_DRAIN_ENDED, which is also the error of the run', () => {
    const source = new Subject<string>();
    const drainUntil = new Subject<void>();
    const events: WorkqueueEvent[] = [];
    let seen: AbortSignal | undefined;
    source
      .pipe(
        workqueue(
          (_key, { signal }) => {
            seen = signal;
            return NEVER;
          },
          { drainUntil },
        ),
      )
      .subscribe((event) => events.push(event));
    source.next('a');
    source.complete();
    expect(seen?.aborted).toBe(false);
    drainUntil.next();
    expect(seen?.reason).toEqual(errorWith('RXI_DRAIN_ENDED'));
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: seen?.reason as unknown, retryAt: undefined });
  });

  it('W2: drops the rerun that was requested while the aborted run was in progress', () => {
    const source = new Subject<string>();
    const drainUntil = new Subject<void>();
    const words: string[] = [];
    source.pipe(workqueue(never, { drainUntil })).subscribe({
      next: (event) => words.push(event.type === 'failed' ? event.outcome : event.type),
      complete: () => words.push('complete'),
    });
    source.next('a');
    source.next('a');
    source.complete();
    drainUntil.next();
    expect(words).toEqual(['started', 'stopping', 'dropped', 'complete']);
  });

  it('drops delayed keys that the drain would have waited for', () => {
    const lines = received(
      () => fail('no'),
      () => of('a', { key: 'b', delay: 50 }),
      { waitForDelayed: true, maxRetries: 0, drainUntil: timer(10) },
    );
    expect(lines).toEqual(['0 a started', '0 a failed: retries-exhausted', '10 b dropped', '10 complete']);
  });

  it('ends a queue that was never allowed to start', () => {
    const lines = received(never, () => of('a', 'b'), { startWhen: NEVER, drainUntil: timer(10) });
    expect(lines).toEqual(['10 a dropped', '10 b dropped', '10 complete']);
  });

  it('does not start the work of a run whose start event ends the drain', () => {
    const source = new Subject<string>();
    const drainUntil = new Subject<void>();
    const words: string[] = [];
    let runs = 0;
    const scheduler = new VirtualTimeScheduler();
    source.pipe(workqueue(() => runs++, { drainUntil, startWhen: drainUntil, scheduler })).subscribe((event) => {
      words.push(event.type);
      if (event.type === 'started') drainUntil.next();
    });
    source.next('a');
    source.next('b');
    source.complete();
    drainUntil.next();
    expect(words).toEqual(['started', 'failed', 'dropped']);
    expect(runs).toBe(0);
  });
});
