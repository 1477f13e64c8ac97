import { configMaps, type ConfigMap } from 'rx-informers';
import {
  withFinalizer,
  whileOwned,
  withSettled,
  workqueue,
  type WorkqueueEvent,
  type WorkqueueOptions,
} from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { virtualClock } from 'rx-informers/testing';
import { concat, EMPTY, map, NEVER, Subject, tap, timer, type Observable, type Subscription } from 'rxjs';
import { promisesSettled } from '../../support/promises-settled.js';
import { FakeMembership } from '../membership/support/fake-membership.js';
import { steady, word } from './support/recorded-events.js';

/** Work with promises that the test settles. */
class PromisedWork {
  maxAtOnce = 0;
  #running = 0;
  readonly #ends: (() => void)[] = [];

  get startedAt(): number {
    return this.#ends.length;
  }

  readonly work = (): Promise<void> => {
    this.#running += 1;
    this.maxAtOnce = Math.max(this.maxAtOnce, this.#running);
    return new Promise((resolve) => {
      this.#ends.push(() => {
        this.#running -= 1;
        resolve();
      });
    });
  };

  async settle(index: number): Promise<void> {
    this.#ends[index]?.();
    await promisesSettled();
  }
}

/** A queue in virtual time, and its events, each in one word. */
function started(project: (key: string, signal: AbortSignal) => unknown, options: WorkqueueOptions = {}) {
  const clock = virtualClock();
  const source = new Subject<string>();
  const words: string[] = [];
  const queue = workqueue((key: string, { signal }) => project(key, signal), {
    scheduler: clock,
    rateLimiter: steady(5),
    ...options,
  });
  const subscribe = (): Subscription =>
    source.pipe(queue).subscribe({
      next: (event: WorkqueueEvent) => words.push(`${clock.now()} ${word(event)}`),
      complete: () => words.push(`${clock.now()} complete`),
    });
  return { clock, source, subscribe, subscription: subscribe(), news: () => words.splice(0) };
}

describe('workqueue: work that continues after its run has ended', () => {
  it('W1: never runs a key twice at once, even if its promise outlives the timeout of its run', async () => {
    const promised = new PromisedWork();
    const { clock, source } = started(promised.work, { timeout: 10 });
    source.next('a');
    clock.advance(100);
    expect(promised.startedAt).toBe(1);
    await promised.settle(0);
    expect(promised.startedAt).toBe(2);
    expect(promised.maxAtOnce).toBe(1);
  });

  it('frees the worker of a held key for other keys', () => {
    const promised = new PromisedWork();
    const { clock, source, news } = started((key) => (key === 'a' ? promised.work() : undefined), { timeout: 10 });
    source.next('a');
    source.next('b');
    clock.advance(10);
    expect(news()).toEqual(['0 a started', '10 a failed, retry at 15', '10 b started', '10 b succeeded']);
  });

  it('W2: merges all additions of a held key into one run, behind the keys that already wait', async () => {
    const promised = new PromisedWork();
    const { clock, source, news } = started(promised.work, { timeout: 10, maxRetries: 0 });
    source.next('a');
    clock.advance(10);
    for (const key of ['a', 'b', 'a', 'c', 'a']) source.next(key);
    news();
    await promised.settle(1);
    await promised.settle(0);
    await promised.settle(2);
    expect(news()).toEqual(['10 b succeeded', '10 c started', '10 c succeeded', '10 a started']);
  });

  it('reports once that a key is held after ten seconds, and when it is released', async () => {
    const promised = new PromisedWork();
    const { clock, source, news } = started(promised.work, { timeout: 10, maxRetries: 0 });
    source.next('a');
    clock.advance(10_009);
    expect(news()).toEqual(['0 a started', '10 a failed: retries-exhausted']);
    clock.advance(30_001);
    expect(news()).toEqual(['10010 a held unsettled 10000']);
    await promised.settle(0);
    expect(news()).toEqual(['40010 a released unsettled 40000']);
    expect(clock.timers).toBe(0);
  });

  it('holds the key of an async iterable until that has ended', async () => {
    const gate = new Subject<void>();
    let runs = 0;
    async function* work(): AsyncGenerator<number> {
      runs += 1;
      yield runs;
      await new Promise<void>((resolve) => gate.subscribe(() => resolve()));
      yield -runs;
    }
    const { clock, source, news } = started(work, { timeout: 10 });
    source.next('a');
    await promisesSettled();
    clock.advance(100);
    expect(news()).toEqual(['0 a started', '0 a emitted 1', '10 a failed, retry at 15']);
    gate.next();
    await promisesSettled();
    expect(news()).toEqual(['100 a started', '100 a emitted 2']);
  });

  it('does not hold the key of an Observable, which ends with its subscription', () => {
    const { clock, source, news } = started(() => NEVER, { timeout: 10 });
    source.next('a');
    clock.advance(15);
    expect(news()).toEqual(['0 a started', '10 a failed, retry at 15', '15 a started']);
  });

  it('waits for the promise of work inside whileOwned', async () => {
    const promised = new PromisedWork();
    const membership = new FakeMembership('a');
    const { clock, source, news } = started((key, signal) => whileOwned(membership, { key, signal }, promised.work), {
      timeout: 10,
    });
    source.next('a');
    clock.advance(100);
    expect(promised.startedAt).toBe(1);
    await promised.settle(0);
    expect(news()).toEqual(['0 a started', '10 a failed, retry at 15', '100 a started']);
    await promised.settle(1);
    expect(news()).toEqual(['100 a succeeded']);
  });

  it('waits for the promise of work inside withFinalizer', async () => {
    const promised = new PromisedWork();
    const finalizer = 'example.com/cleanup';
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'web', name: 'a', uid: 'u', resourceVersion: '1', finalizers: [finalizer] },
    };
    const client = resourceClient({ exchange: () => NEVER }, configMaps);
    const { clock, source } = started(
      () => withFinalizer(client, object, { finalizer, apply: promised.work, cleanup: () => undefined }),
      { timeout: 10 },
    );
    source.next('a');
    clock.advance(100);
    expect(promised.startedAt).toBe(1);
    await promised.settle(0);
    expect(promised.startedAt).toBe(2);
  });

  it('waits for the promise behind a piped whileOwned, if its settled$ is passed to withSettled', async () => {
    const promised = new PromisedWork();
    const membership = new FakeMembership('a');
    const { clock, source } = started(
      (key, signal) => {
        const owned = whileOwned(membership, { key, signal }, promised.work);
        return withSettled(owned.pipe(map(String)), owned.settled$);
      },
      { timeout: 10 },
    );
    source.next('a');
    clock.advance(100);
    expect(promised.startedAt).toBe(1);
    await promised.settle(0);
    expect(promised.startedAt).toBe(2);
  });

  it('holds a key whose values have completed until the settled$ of its work has completed', () => {
    const settled = new Subject<never>();
    const { source, news } = started(() => withSettled(EMPTY, settled));
    source.next('a');
    expect(news()).toEqual(['0 a started', '0 a succeeded']);
    source.next('a');
    expect(news()).toEqual([]);
    settled.complete();
    expect(news()).toEqual(['0 a started', '0 a succeeded']);
  });

  it('calls the then method of a thenable once for each run', async () => {
    let calls = 0;
    const thenable = { then: () => void (calls += 1) };
    const { clock, source } = started(() => thenable, { timeout: 10, maxRetries: 0 });
    source.next('a');
    await promisesSettled();
    clock.advance(100);
    await promisesSettled();
    expect(calls).toBe(1);
  });

  it('releases a key as soon as its promise settles in response to its signal', async () => {
    const { clock, source, news } = started(
      (_key, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
      { timeout: 10 },
    );
    source.next('a');
    clock.advance(12);
    await promisesSettled();
    clock.advance(3);
    expect(news()).toEqual(['0 a started', '10 a failed, retry at 15', '15 a started']);
  });
});

describe('workqueue: held keys of an earlier subscription', () => {
  it('W1: does not start a key whose promise from before the unsubscription is still pending', async () => {
    const promised = new PromisedWork();
    const { clock, source, subscribe, subscription, news } = started((key) =>
      key === 'a' ? promised.work() : undefined,
    );
    source.next('a');
    subscription.unsubscribe();
    clock.advance(4_000);
    news();
    subscribe();
    source.next('a');
    source.next('b');
    clock.advance(8_000);
    expect(news()).toEqual(['4000 b started', '4000 b succeeded', '10000 a held unsettled 10000']);
    await promised.settle(0);
    expect(news()).toEqual(['12000 a released unsettled 12000', '12000 a started']);
    expect(promised.maxAtOnce).toBe(1);
  });

  it('leaves no timer when the queue is unsubscribed from, and emits nothing afterwards', async () => {
    const promised = new PromisedWork();
    const { clock, source, subscription, news } = started(promised.work, { timeout: 10, maxRetries: 0 });
    source.next('a');
    clock.advance(20);
    subscription.unsubscribe();
    news();
    expect(clock.timers).toBe(0);
    await promised.settle(0);
    expect(news()).toEqual([]);
  });
});

describe('workqueue: held keys and the end of the source', () => {
  it('W3: waits for a held key, and runs it once more if it was added meanwhile', async () => {
    const promised = new PromisedWork();
    const { clock, source, news } = started(promised.work, { timeout: 10, maxRetries: 0 });
    source.next('a');
    clock.advance(10);
    source.next('a');
    source.complete();
    clock.advance(90);
    expect(news()).toEqual(['0 a started', '10 a failed: retries-exhausted']);
    await promised.settle(0);
    await promised.settle(1);
    expect(news()).toEqual(['100 a started', '100 a succeeded', '100 complete']);
  });

  it('W3: waits for a held key that was not added again', async () => {
    const promised = new PromisedWork();
    const { clock, source, news } = started(promised.work, { timeout: 10, maxRetries: 0 });
    source.next('a');
    clock.advance(10);
    source.complete();
    clock.advance(90);
    await promised.settle(0);
    expect(news()).toEqual(['0 a started', '10 a failed: retries-exhausted', '100 complete']);
  });

  it('does not wait for held keys after drainUntil, and drops their additions', () => {
    const promised = new PromisedWork();
    const clock = virtualClock();
    const { source, news, ...rest } = started(promised.work, {
      timeout: 10,
      maxRetries: 0,
      scheduler: clock,
      drainUntil: timer(50, clock),
    });
    expect(rest.subscription.closed).toBe(false);
    source.next('a');
    clock.advance(10);
    source.next('a');
    source.complete();
    clock.advance(90);
    expect(news().map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'a started',
      'a failed: retries-exhausted',
      'a dropped',
      'complete',
    ]);
  });

  it('does not wait for the promises of the runs that drainUntil aborts', () => {
    const promised = new PromisedWork();
    const drainUntil = new Subject<void>();
    const { source, news } = started(promised.work, { drainUntil });
    source.next('a');
    source.complete();
    drainUntil.next();
    expect(news()).toEqual(['0 a started', '0 a failed: stopping', '0 complete']);
  });

  it('W1: keeps the keys of aborted runs held for the next subscription, even if their work ends late', async () => {
    const promised = new PromisedWork();
    const drainUntil = new Subject<void>();
    const sources: Subject<string>[] = [];
    const begin = (): Observable<string> => concat((sources[sources.length] = new Subject()));
    const queue = workqueue(
      (key: string) => {
        // The drain ends within the call that starts the work.
        if (promised.startedAt === 0) {
          sources[0]?.complete();
          drainUntil.next();
        }
        return key === 'a' ? promised.work() : undefined;
      },
      { drainUntil },
    );
    const words: string[] = [];
    const say = tap<WorkqueueEvent>((event) => void words.push(word(event)));
    begin().pipe(queue, say).subscribe();
    sources[0]?.next('a');
    begin().pipe(queue, say).subscribe();
    sources[1]?.next('a');
    expect(words).toEqual(['a started', 'a failed: stopping']);
    await promised.settle(0);
    expect(words).toEqual(['a started', 'a failed: stopping', 'a started']);
    expect(promised.maxAtOnce).toBe(1);
  });
});
