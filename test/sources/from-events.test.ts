import { concat, lastValueFrom, NEVER, of, throwError, toArray, type Observable } from 'rxjs';
import { fromEvents, type WatchEvent, watchEvent } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';

const { added, bookmark, deleted, listed, modified } = watchEvent;

describe('fromEvents', () => {
  const one = listed(['a'], '5');
  const two = added('b');
  const all = <T>(source: Observable<T>): Promise<T[]> => lastValueFrom(source.pipe(toArray()));

  it('makes a batch of each event of an array, and passes batches on as they are', async () => {
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

  it('keeps the time, the end and the subscription of an Observable', () => {
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

describe('the event factories', () => {
  it('spell watch events', () => {
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
