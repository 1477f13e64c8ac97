import { informer, type Informer, type Pod } from 'rx-informers';
import type { WatchEvent } from 'rx-informers/store';
import { aPod, virtualClock } from 'rx-informers/testing';
import {
  concat,
  defer,
  delay,
  exhaustMap,
  finalize,
  interval,
  map,
  NEVER,
  type Observable,
  of,
  repeat,
  retry,
  type SchedulerLike,
  switchMap,
  take,
} from 'rxjs';

type Pods = Informer<Pod>;

const list: WatchEvent<Pod> = {
  type: 'LISTED',
  items: [aPod({ name: 'a' }), aPod({ name: 'b' })],
  resourceVersion: '1',
};

/** An informer whose source needs 10 ms for a list, and counts lists and connections. */
function started(options: { readonly linger?: number } = {}) {
  const clock = virtualClock();
  const source = { lists: 0, open: 0 };
  const source$ = defer(() => {
    source.lists++;
    source.open++;
    return concat(of(list).pipe(delay(10, clock)), NEVER).pipe(finalize(() => source.open--));
  });
  const pods: Pods = informer(source$, { scheduler: clock, ...options });
  return { pods, source, clock };
}

const keys$ = of('default/a', 'default/b', 'default/c', 'default/d');

function failing(times: number): () => void {
  let failures = 0;
  return () => {
    if (failures++ < times) throw new Error('a mistake of the subscriber');
  };
}

describe('the default linger', () => {
  it.each([
    ['switchMap over four keys', (pods: Pods) => keys$.pipe(switchMap((key) => pods.get$(key)))],
    [
      'exhaustMap',
      (pods: Pods, scheduler: SchedulerLike) =>
        interval(50, scheduler).pipe(
          take(4),
          exhaustMap(() => pods.get$('default/a').pipe(take(1))),
        ),
    ],
    ['concat', (pods: Pods) => concat(pods.get$('default/a').pipe(take(1)), pods.list$().pipe(take(1)))],
    ['repeat', (pods: Pods) => pods.list$().pipe(take(1), repeat(3))],
    ['retry', (pods: Pods) => pods.list$().pipe(map(failing(2)), retry(2))],
  ])(
    'G8: lists once if %s unsubscribes from a query before it subscribes to the next',
    (_operator, queries$: (pods: Pods, scheduler: SchedulerLike) => Observable<unknown>) => {
      const { pods, source, clock } = started();
      const subscription = queries$(pods, clock).subscribe();
      clock.advance(500);
      subscription.unsubscribe();
      clock.advance(5_000);
      expect(source).toEqual({ lists: 1, open: 0 });
    },
  );

  it('G8: is one second after the last subscriber, then the source is unsubscribed from and no timer remains', () => {
    const { pods, source, clock } = started();
    const subscription = pods.list$().subscribe();
    clock.advance(100);
    subscription.unsubscribe();
    clock.advance(999);
    expect([pods.isRunning, pods.list().length, source.open]).toEqual([true, 2, 1]);
    clock.advance(1);
    expect([pods.isRunning, pods.list().length, source.open, clock.timers]).toEqual([false, 0, 0, 0]);
  });

  it('G8: ends at once when the informer is stopped', () => {
    const { pods, source, clock } = started();
    pods.connect().unsubscribe();
    clock.advance(100);
    pods.stop();
    expect([pods.isRunning, source.open, clock.timers]).toEqual([false, 0, 0]);
  });

  it('G8: does not apply to a completed source: the next subscriber starts it again', () => {
    let subscriptions = 0;
    const pods = informer(defer(() => of(list).pipe(finalize(() => subscriptions++))));
    pods.list$().subscribe();
    expect([pods.isRunning, subscriptions]).toEqual([false, 1]);
    pods.list$().subscribe();
    expect(subscriptions).toBe(2);
  });
});
