import { expectTypeOf } from 'expect-type';
import { map, of, Subject, timer, VirtualTimeScheduler, type Observable } from 'rxjs';
import { changedKeys, type KeyReason, requeueAfter, resultsOf, workqueue } from 'rx-informers/controller';
import type { ChangeSet } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';

describe('keys', () => {
  const set = (reason: ChangeSet<string>['reason'], ...names: string[]): ChangeSet<string> => ({
    reason,
    changes: names.map((key) => ({ type: 'added', key, object: key })),
  });

  it('emits the initial state and resyncs with low priority, and with the reason', () => {
    const requests: unknown[] = [];
    of(set('initial', 'a', 'b'), set('watch', 'c'), set('relist', 'd'), set('resync', 'e'), set('watch'))
      .pipe(changedKeys({ scheduler: new VirtualTimeScheduler() }))
      .subscribe((request) => requests.push(request));
    expect(requests).toEqual([
      { key: 'a', priority: -100, reason: 'added:initial' },
      { key: 'b', priority: -100, reason: 'added:initial' },
      { key: 'c', priority: 0, reason: 'added:watch' },
      { key: 'd', priority: 0, reason: 'added:relist' },
      { key: 'e', priority: -100, reason: 'added:resync' },
    ]);
  });

  it('reads well: changes in, results out, what just changed before the initial list', () => {
    informerTest(({ hot, expectObservable }) => {
      const changes$ = hot('(iw)', { i: set('initial', 'a', 'b', 'c'), w: set('watch', 'c') });
      const reconcile = (key: string): Observable<string> => timer(2).pipe(map(() => key));
      expectObservable(changes$.pipe(changedKeys(), workqueue(reconcile), resultsOf())).toBe('--a-c-b');
    });
  });

  it('gives types to what comes out', () => {
    const changes$ = new Subject<ChangeSet<string>>();
    const results$ = changes$.pipe(
      changedKeys(),
      workqueue(async (key, { reasons }) => {
        expectTypeOf(key).toEqualTypeOf<string>();
        expectTypeOf(reasons).toEqualTypeOf<readonly KeyReason[]>();
        return key === '' ? requeueAfter(5) : key.length;
      }),
      resultsOf(),
    );
    expectTypeOf(results$).toEqualTypeOf<Observable<number>>();
    expect(changes$.observed).toBe(false);
  });
});
