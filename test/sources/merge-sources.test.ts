import { fromEvents, informer, mergeSources, type SourceStatus } from 'rx-informers';
import type { SourceSet } from 'rx-informers/client';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { informerTest, virtualClock } from 'rx-informers/testing';
import {
  concat,
  lastValueFrom,
  NEVER,
  of,
  throwError,
  toArray,
  type Observable,
  defer,
  Subject,
  VirtualTimeScheduler,
} from 'rxjs';
import { credentialsError } from '../../src/sources/model/errors.js';
import { podOf, spell, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { somewhere } from './support/scripted-client.js';
import { describeEvent } from './support/timeline.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

describe('fromEvents', () => {
  const one = listed(['a'], '5');
  const two = added('b');
  const all = <T>(source: Observable<T>): Promise<T[]> => lastValueFrom(source.pipe(toArray()));

  it('turns each event of an array into a batch, and passes batches on unchanged', async () => {
    const batch = [two, deleted('b')];
    expect(await all(fromEvents([one, batch, []]))).toEqual([[one], batch, []]);
    expect((await all(fromEvents([batch])))[0]).toBe(batch);
  });

  it('takes iterables, async iterables and promises', async () => {
    async function* later(): AsyncGenerator<WatchEvent<string>> {
      yield one;
      await Promise.resolve();
      yield two;
    }
    expect(await all(fromEvents(new Set([one, two])))).toEqual([[one], [two]]);
    expect(await all(fromEvents(later()))).toEqual([[one], [two]]);
    expect(await all(fromEvents(Promise.resolve(one)))).toEqual([[one]]);
    expect(await all(fromEvents<string>([]))).toEqual([]);
  });

  it('keeps the timing, completion and subscription of an Observable', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const input = cold('-a-b-|', { a: one, b: two });
      expectObservable(fromEvents(input)).toBe('-a-b-|', { a: [one], b: [two] });
      expectObservable(fromEvents(input), '^-!').toBe('-a-', { a: [one] });
      expectSubscriptions(input.subscriptions).toBe(['^----!', '^-!']);
    });
  });

  it('passes an error on', () => {
    informerTest(({ expectObservable }) => {
      const failing = concat(
        of(one),
        throwError(() => new Error('no')),
      );
      expectObservable(fromEvents(failing)).toBe('(a#)', { a: [one] }, new Error('no'));
      expectObservable(fromEvents(NEVER)).toBe('-');
    });
  });
});

describe('the watchEvent factories', () => {
  it('create watch events', () => {
    expect([listed([1]), listed([1], '5'), added(1), modified(1), deleted(1), bookmark('7')]).toEqual([
      { type: 'LISTED', items: [1], resourceVersion: '' },
      { type: 'LISTED', items: [1], resourceVersion: '5' },
      { type: 'ADDED', object: 1 },
      { type: 'MODIFIED', object: 1 },
      { type: 'DELETED', object: 1 },
      { type: 'BOOKMARK', resourceVersion: '7' },
    ]);
  });
});

type Event = WatchEvent<Pod>;

type Emitted = Event | readonly Event[];

const pod = podOf;

const error = credentialsError(somewhere, new Error('no'));

const status = (of: SourceStatus): Event => ({ type: 'STATUS', status: of });

const forbidden = status({ state: 'forbidden', until: 5, attempt: 1, cause: error });

const watchingAt = (since: number): Event => status({ state: 'watching', since, resourceVersion: '1' });

const listing = (received: number, expected?: number): Event =>
  status({ state: 'listing', by: 'pages', received, ...(expected !== undefined && { expected }) });

/** Subscribes, and returns what is emitted, one text per batch. */
function follow(source: Observable<readonly Event[]>): { readonly seen: string[]; stop(): void } {
  const seen: string[] = [];
  const subscription = source.subscribe({
    next: (batch) => seen.push(batch.map(describeEvent).join(' ')),
    error: (cause: Error) => seen.push(`error: ${cause.message}`),
    complete: () => seen.push('complete'),
  });
  return { seen, stop: () => subscription.unsubscribe() };
}

describe('mergeSources', () => {
  it('delays first lists until every source has listed, emits them as one batch, then passes everything through', () => {
    const a = new Subject<Emitted>();
    const b = new Subject<Emitted>();
    const { seen } = follow(mergeSources({ a, b }));
    a.next(listed([pod('x')], '5'));
    a.next(bookmark('6'));
    expect(seen).toEqual([]);
    b.next(listed([pod('y')], '7'));
    a.next(modified(pod('x@8')));
    b.next([deleted(pod('y@9')), bookmark('10')]);
    expect(seen).toEqual(['a:LISTED 6(x@1) b:LISTED 7(y@1)', 'a:MODIFIED(x@8)', 'b:DELETED(y@9) b:BOOKMARK 10']);
  });

  it('G11: keeps delayed batches as one list, regardless of their number', () => {
    const a = new Subject<Emitted>();
    const b = new Subject<Emitted>();
    const { seen } = follow(mergeSources({ a, b }));
    a.next({ ...listed([pod('x'), pod('y')], '5'), missing: ['web/m', 'web/n'] });
    for (let version = 10; version < 1_000; version++) a.next(modified(pod(`x@${version}`)));
    a.next([deleted(pod('y@1000')), added(pod('z@1001')), added(pod('m@1002'))]);
    b.next(listed([]));
    expect(seen).toEqual(['a:LISTED 1002(x@999 z@1001 m@1002) without web/n b:LISTED ()']);
  });

  it('passes errors and statuses through at once, even while lists are delayed', () => {
    const a = new Subject<Emitted>();
    const { seen } = follow(mergeSources({ a, b: NEVER }));
    a.next([{ type: 'ERROR', error }, forbidden]);
    expect(seen).toEqual(['a:ERROR RXI_CREDENTIALS a:<forbidden until 5 attempt 1>']);
  });

  it('names inner partitions outer/inner', () => {
    const inner = mergeSources({ x: of(listed([pod('p')])), y: of(listed([pod('q')])) });
    expect(follow(mergeSources({ a: concat(inner, NEVER) })).seen).toEqual(['a/x:LISTED (p@1) a/y:LISTED (q@1)']);
  });

  it('emits an empty list for each partition of a source that leaves; a source that joins delays no other', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const a = new Subject<Emitted>();
    const b = new Subject<Emitted>();
    const nested = mergeSources({ x: b, y: concat(of(listed([pod('q')])), NEVER) });
    const { seen } = follow(mergeSources(sets));
    sets.next({ a });
    a.next(listed([pod('p')]));
    sets.next({ a, nested });
    a.next(modified(pod('p@2')));
    b.next(listed([pod('r')]));
    sets.next({ a });
    sets.next({});
    expect(seen).toEqual([
      'a:LISTED (p@1)',
      'a:MODIFIED(p@2)',
      'nested/y:LISTED (q@1) nested/x:LISTED (r@1)',
      'nested/y:LISTED () nested/x:LISTED ()',
      'a:LISTED ()',
    ]);
    expect([a.observed, b.observed]).toEqual([false, false]);
  });

  it('does not restart an unchanged source; another one under the same name leaves and joins', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const a = new Subject<Emitted>();
    const other = concat(of(listed([pod('q')])), NEVER);
    const { seen } = follow(mergeSources(sets));
    sets.next({ a });
    a.next(listed([pod('p')]));
    sets.next({ a, b: NEVER });
    a.next(modified(pod('p@2')));
    sets.next({ a: other });
    a.next(modified(pod('p@3')));
    expect(seen).toEqual(['a:LISTED (p@1)', 'a:MODIFIED(p@2)', 'a:LISTED ()', 'a:LISTED (q@1)']);
    expect(a.observed).toBe(false);
  });

  it('emits an empty list for an empty first set', () => {
    expect(follow(mergeSources<Pod>({})).seen).toEqual(['LISTED ()', 'complete']);
    expect(follow(mergeSources<Pod>(concat(of({}), NEVER))).seen).toEqual(['LISTED ()']);
    expect(follow(mergeSources<Pod>(NEVER)).seen).toEqual([]);
  });

  it('stops waiting for a source of the first set that leaves, or completes without a list', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const a = concat(of(listed([pod('p')])), NEVER);
    const ended = new Subject<Emitted>();
    const { seen } = follow(mergeSources(sets));
    sets.next({ a, ended, never: NEVER });
    sets.next({ a, ended });
    expect(seen).toEqual([]);
    ended.complete();
    expect(seen).toEqual(['a:LISTED (p@1)']);
  });

  it('drops the events of a source that leaves before the others have listed', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const b = new Subject<Emitted>();
    const { seen } = follow(mergeSources(sets));
    sets.next({ a: concat(of(listed([pod('p')])), NEVER), b });
    sets.next({ b });
    b.next(listed([pod('q')]));
    expect(seen).toEqual(['b:LISTED (q@1)']);
  });

  it('G6: emits the status of the least healthy source, and again when that of another one changes', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const [a, b] = [new Subject<Emitted>(), new Subject<Emitted>()];
    const { seen } = follow(mergeSources(sets));
    sets.next({ a, b });
    a.next(listing(1, 5));
    b.next(listing(2, 10));
    a.next([listed([pod('p')]), watchingAt(1)]);
    b.next(forbidden);
    a.next(watchingAt(2));
    a.next(watchingAt(2));
    b.next(listing(3));
    b.next([listed([]), watchingAt(3)]);
    b.next(status({ state: 'reconnecting' }));
    sets.next({ a });
    expect(seen).toEqual([
      'a:<listing by pages 1/5>',
      'a:<listing by pages 3/15>',
      'b:<listing by pages 2/10>',
      'b:<forbidden until 5 attempt 1>',
      'b:<forbidden until 5 attempt 1>',
      'b:<listing by pages 3>',
      'a:LISTED (p@1) b:LISTED () a:<watching 1>',
      'b:<reconnecting>',
      'b:LISTED () a:<watching 1>',
    ]);
  });

  it('reports each member of a merged source that has completed as stopped, under its own partition', () => {
    const [web, api, other] = [new Subject<Emitted>(), new Subject<Emitted>(), new Subject<Emitted>()];
    const members: unknown[] = [];
    mergeSources({ east: mergeSources({ web, api }), other }).subscribe((batch) => {
      for (const event of batch) if (event.type === 'STATUS') members.push(event.status.members);
    });
    const since = { state: 'watching', since: 0, resourceVersion: '1' } as const;
    for (const member of [web, api, other]) member.next([listed([], '1'), { type: 'STATUS', status: since }]);
    web.complete();
    api.complete();
    const stopped = { state: 'stopped' };
    expect(members.at(-1)).toEqual({ 'east/web': stopped, 'east/api': stopped, other: since });
  });

  it('completes when the set and all sources have; a completed source is stopped', () => {
    const a = new Subject<Emitted>();
    const { seen } = follow(mergeSources({ a, b: of(listed([])) }));
    a.next([listed([]), watchingAt(1)]);
    a.complete();
    expect(seen).toEqual(['b:LISTED () a:LISTED () a:<watching 1>', 'a:<stopped>', 'complete']);
    const set = new Subject<SourceSet<Pod>>();
    const dynamic = follow(mergeSources(set));
    set.next({ a: of(listed([])) });
    expect(dynamic.seen).toEqual(['a:LISTED ()']);
    set.complete();
    expect(dynamic.seen).toEqual(['a:LISTED ()', 'complete']);
  });

  it('passes an error of a source or of the set on, and unsubscribes from the others', () => {
    const other = new Subject<Emitted>();
    expect(follow(mergeSources({ other, a: throwError(() => new Error('broken')) })).seen).toEqual(['error: broken']);
    expect(other.observed).toBe(false);
    expect(
      follow(
        mergeSources(
          concat(
            of({ other }),
            throwError(() => new Error('set')),
          ),
        ),
      ).seen,
    ).toEqual(['error: set']);
    expect(other.observed).toBe(false);
  });

  it('G8: unsubscribes from all sources and the set', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const a = new Subject<Emitted>();
    const { stop } = follow(mergeSources(sets));
    sets.next({ a });
    stop();
    expect([sets.observed, a.observed]).toEqual([false, false]);
  });

  it('allows a subscriber of its events to change the set', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const a = concat(of(listed([pod('p')])), NEVER);
    const b = new Subject<Emitted>();
    const seen: string[] = [];
    mergeSources(sets).subscribe((batch) => {
      seen.push(batch.map(describeEvent).join(' '));
      if (seen.length === 1) sets.next({ b });
    });
    sets.next({ a });
    b.next(listed([pod('q')]));
    expect(seen).toEqual(['a:LISTED (p@1)', 'a:LISTED ()', 'b:LISTED (q@1)']);
  });

  it('emits nothing of a source that was removed while it was being subscribed to, and subscribes to no removed source', () => {
    const sets = new Subject<SourceSet<Pod>>();
    let subscribed = false;
    const b = defer(() => {
      subscribed = true;
      return NEVER;
    });
    const seen: string[] = [];
    mergeSources(sets, { scheduler: new VirtualTimeScheduler() }).subscribe((batch) => {
      seen.push(batch.map(describeEvent).join(' '));
      if (seen.length === 1) sets.next({});
    });
    sets.next({ a: of(watchingAt(1), listed([pod('p')]), added(pod('q'))), b });
    expect(seen).toEqual(['a:<watching 1>', 'LISTED () <watching >']);
    expect(subscribed).toBe(false);
  });

  it('is cold: each subscription subscribes to its own sources', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const a = cold<Emitted>('-l-|', { l: listed([pod('p')]) });
      const merged = mergeSources({ a });
      const l = [{ ...listed([pod('p')]), partition: 'a' }];
      expectObservable(merged).toBe('-l-|', { l });
      expectObservable(merged, '--^-!').toBe('---l-', { l });
      expectSubscriptions(a.subscriptions).toBe(['^--!', '--^-!']);
    });
  });
});

describe('an informer over merged sources', () => {
  it('keeps a key that two sources hold when one of them leaves, and deletes it when both have left', () => {
    const sets = new Subject<SourceSet<Pod>>();
    const source = (...items: readonly Pod[]): Observable<WatchEvent<Pod>> => concat(of(listed(items)), NEVER);
    const [a, b] = [source(pod('x'), pod('y')), source(pod('x'), pod("y'"))];
    const merged = informer(mergeSources(sets), { scheduler: virtualClock(), onUnobservedError: () => undefined });
    const collisions: unknown[] = [];
    merged.errors$.subscribe((cause) => collisions.push(cause));
    const seen: string[] = [];
    merged.changes$.subscribe(({ changes }) => {
      seen.push(changes.map(({ type, object }) => `${type} ${spell(object)}`).join(', '));
    });
    sets.next({ a, b });
    sets.next({ b });
    sets.next({});
    expect(seen).toEqual(['added x@1, added y@1', "deleted y@1, added y'@1", "deleted x@1, deleted y'@1"]);
    expect(collisions).toEqual([errorWith('RXI_KEY_COLLISION'), errorWith('RXI_KEY_COLLISION')]);
    merged.stop();
  });
});
