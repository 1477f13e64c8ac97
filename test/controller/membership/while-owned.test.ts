import { requeueAfter, whileOwned, workqueue, type MembershipState } from 'rx-informers/controller';
import { NEVER, Observable, of, Subject, throwError, ReplaySubject } from 'rxjs';
import { keyLostError } from '../../../src/controller/lease/lease-errors.js';
import { RequeueAfter, Skipped } from '../../../src/controller/workqueue/outcome.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { FakeMembership } from './support/fake-membership.js';
import { Group, someKeys } from './support/group.js';

const notOwned = 'skipped: this replica does not own the key';

const lost = 'skipped: this replica lost the key during the run';

function outcome<T>(run$: Observable<T>) {
  const seen: unknown[] = [];
  const subscription = run$.subscribe({
    next: (value) => seen.push(value instanceof Skipped ? `skipped: ${value.because}` : value),
    error: (error: unknown) => seen.push(['error', error]),
    complete: () => seen.push('complete'),
  });
  return { seen, subscription };
}

describe('whileOwned', () => {
  it('does not start work on a key that is not owned', () => {
    const membership = new FakeMembership('b');
    let startedAt = 0;
    const { seen } = outcome(whileOwned(membership, { key: 'a' }, () => (startedAt += 1)));
    expect(seen).toEqual([notOwned, 'complete']);
    expect(startedAt).toBe(0);
    expect(membership.observed).toBe(false);
  });

  it('emits what the work emits: a value, nothing, an Observable, a request to run again', () => {
    const membership = new FakeMembership('a');
    expect(outcome(whileOwned(membership, { key: 'a' }, () => 5)).seen).toEqual([5, 'complete']);
    expect(outcome(whileOwned(membership, { key: 'a' }, () => undefined)).seen).toEqual(['complete']);
    expect(outcome(whileOwned(membership, { key: 'a' }, () => of(1, 2))).seen).toEqual([1, 2, 'complete']);
    expect(outcome(whileOwned(membership, { key: 'a' }, () => requeueAfter(5))).seen[0]).toBeInstanceOf(RequeueAfter);
    expect(membership.observed).toBe(false);
  });

  it('fails with the error of the work', () => {
    const membership = new FakeMembership('a');
    const thrown = new Error('thrown');
    const throwing = (): never => {
      throw thrown;
    };
    expect(outcome(whileOwned(membership, { key: 'a' }, throwing)).seen).toEqual([['error', thrown]]);
    expect(outcome(whileOwned(membership, { key: 'a' }, () => throwError(() => thrown))).seen).toEqual([
      ['error', thrown],
    ]);
  });

  it('when the key is lost, aborts an Observable, unsubscribes from it, and completes', () => {
    const membership = new FakeMembership('a', 'b');
    const steps: string[] = [];
    const { seen } = outcome(
      whileOwned(membership, { key: 'a' }, (signal) => {
        signal.addEventListener('abort', () => steps.push((signal.reason as Error).name));
        return new Observable(() => () => steps.push('unsubscribed'));
      }),
    );
    membership.own('a');
    expect(steps).toEqual([]);
    membership.own('b');
    expect(steps).toEqual(['RXI_KEY_LOST', 'unsubscribed']);
    expect(seen).toEqual([lost, 'complete']);
    expect(membership.observed).toBe(false);
  });

  it('keeps the key until a promise has settled, and ignores its result', async () => {
    const membership = new FakeMembership('a');
    let reject: (reason: unknown) => void = () => {};
    const promise = new Promise<string>((_, rejectPromise) => (reject = rejectPromise));
    const { seen } = outcome(whileOwned(membership, { key: 'a' }, () => promise));
    membership.own();
    let isOver = false;
    (membership.waits[0] as Observable<never>).subscribe({ complete: () => (isOver = true) });
    await promisesSettled();
    expect([isOver, seen]).toEqual([false, []]);
    reject(new Error('aborted'));
    await promisesSettled();
    expect([isOver, seen]).toEqual([true, [lost, 'complete']]);
  });

  it('keeps the key until an async iterable has ended', async () => {
    const membership = new FakeMembership('a');
    const gate = new Subject<void>();
    async function* work(signal: AbortSignal): AsyncGenerator<number> {
      yield 1;
      await new Promise<void>((resolve) => gate.subscribe(() => resolve()));
      yield signal.aborted ? 3 : 2;
    }
    const { seen } = outcome(whileOwned(membership, { key: 'a' }, work));
    await promisesSettled();
    membership.own();
    await promisesSettled();
    expect(seen).toEqual([1]);
    gate.next();
    await promisesSettled();
    expect(seen).toEqual([1, lost, 'complete']);
  });

  it('completes for a run whose key is gained again while its work ends', async () => {
    const membership = new FakeMembership('a');
    let resolve: (value: string) => void = () => {};
    const { seen } = outcome(
      whileOwned(membership, { key: 'a' }, () => new Promise<string>((resolvePromise) => (resolve = resolvePromise))),
    );
    membership.own();
    membership.own('a');
    resolve('too late');
    await promisesSettled();
    expect(seen).toEqual([lost, 'complete']);
  });

  it('aborts the work with the run, with its reason, and after the last subscriber has unsubscribed', () => {
    const membership = new FakeMembership('a');
    const signals: AbortSignal[] = [];
    const never = (signal: AbortSignal): Observable<never> => {
      signals.push(signal);
      return NEVER;
    };
    const run = new AbortController();
    outcome(whileOwned(membership, { key: 'a', signal: run.signal }, never));
    run.abort('stop');
    expect(signals[0]!.reason).toBe('stop');
    outcome(whileOwned(membership, { key: 'a' }, never)).subscription.unsubscribe();
    expect((signals[1]!.reason as Error).name).toBe('RXI_RUN_STOPPED');
  });

  describe('if the key is lost within the call that starts the work', () => {
    /** Loses its key while the work is being begun, and tells when its new owner may have it. */
    function outcomeOfLoss(begin: () => unknown) {
      const membership = new FakeMembership('a');
      const steps: unknown[] = [];
      const { seen } = outcome(
        whileOwned(membership, { key: 'a' }, (signal) => {
          membership.own();
          (membership.waits[0] as Observable<never>).subscribe({ complete: () => steps.push('handed on') });
          steps.push((signal.reason as Error).name);
          return begin();
        }),
      );
      return { seen, steps };
    }

    it('keeps the key until a promise has settled', async () => {
      let resolve: (value: string) => void = () => {};
      const { seen, steps } = outcomeOfLoss(() => new Promise<string>((resolvePromise) => (resolve = resolvePromise)));
      await promisesSettled();
      expect([steps, seen]).toEqual([['RXI_KEY_LOST'], []]);
      resolve('too late');
      await promisesSettled();
      expect([steps, seen]).toEqual([
        ['RXI_KEY_LOST', 'handed on'],
        [lost, 'complete'],
      ]);
    });

    it('completes at once if the call throws or returns no asynchronous work', () => {
      const throwing = (): never => {
        throw new Error('thrown');
      };
      for (const begin of [throwing, () => 5, () => undefined]) {
        expect(outcomeOfLoss(begin)).toEqual({ seen: [lost, 'complete'], steps: ['RXI_KEY_LOST', 'handed on'] });
      }
    });

    it('does not subscribe to an Observable or an async iterable', async () => {
      let startedAt = 0;
      async function* iterable(): AsyncGenerator<number> {
        startedAt += 1;
        yield await Promise.resolve(1);
      }
      const observable = (): Observable<number> =>
        new Observable(() => {
          startedAt += 1;
        });
      for (const begin of [observable, iterable]) {
        const begins = outcomeOfLoss(begin);
        await promisesSettled();
        expect(begins).toEqual({ seen: [lost, 'complete'], steps: ['RXI_KEY_LOST', 'handed on'] });
      }
      expect(startedAt).toBe(0);
    });
  });

  it('names the key in the reason of the abort', () => {
    expect(keyLostError('web/a')).toMatchObject({ key: 'web/a', code: 'RXI_KEY_LOST' });
  });
});

/**
 * A replica that owns all keys, and whose time of day can pass without any timer: its machine
 * sleeps.
 */
function replica() {
  const replicas = new Group();
  const states = new ReplaySubject<MembershipState>(1);
  const { setClock } = replicas.start('a', {
    follow: (state) => {
      states.next(state);
    },
  });
  const last = () => replicas.replicas[0]!.states.at(-1)!;
  replicas.advance(5_000);
  expect(last().isSettled).toBe(true);
  return { replicas, states, last, sleep: setClock };
}

describe('keys whose renew deadline has passed before the timer has fired (L3)', () => {
  it('are no longer owned when owns() is called, and the next state is emitted at once', () => {
    const { replicas, last, sleep } = replica();
    const before = last();
    expect(before.owns('a')).toBe(true);
    sleep(20_000);
    expect(before.owns('a')).toBe(false);
    expect(last()).toMatchObject({ owned: { portion: 0 }, errors: [{ code: 'RXI_RENEW_DEADLINE' }] });
    replicas.advance(30_000);
    expect(last().owns('a')).toBe(true);
  });

  it('have no run of whileOwned any more, also after a run that took too long', () => {
    const { states, sleep } = replica();
    const startedAt: string[] = [];
    const outcomes: string[] = [];
    const run = (key: string) =>
      whileOwned(states, { key }, () => {
        startedAt.push(key);
        sleep(20_000);
      });
    of('a', 'b', 'c')
      .pipe(workqueue(run))
      .subscribe(({ type }) => type === 'started' || outcomes.push(type));
    expect(startedAt).toEqual(['a']);
    expect(outcomes).toEqual(['succeeded', 'skipped', 'skipped']);
  });

  it('are not owned in a state whose delivery took too long', () => {
    const { replicas, states, last, sleep } = replica();
    const answers: boolean[] = [];
    states.subscribe((state) => {
      const key = someKeys.find((some) => state.owned.has(some));
      if (state.members.length === 1 || answers.length > 0 || key === undefined) return;
      sleep(20_000);
      answers.push(state.owns(key));
      // Subscribers that have not received this state yet receive the next one after it.
      expect(last()).toBe(state);
    });
    replicas.start('b');
    replicas.advance(5_000);
    expect(answers).toEqual([false]);
    expect(replicas.replicas[0]!.states.flatMap(({ errors }) => errors)).toMatchObject([
      { code: 'RXI_RENEW_DEADLINE' },
    ]);
  });
});
