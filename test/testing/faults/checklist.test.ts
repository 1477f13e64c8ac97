import { EMPTY, NEVER, of, throwError } from 'rxjs';
import { type Pod, watchEvent } from 'rx-informers';
import { type SourceFault, sourceFaults, informerTest } from 'rx-informers/testing';
import { a } from '../marbles/support.js';

const { added, bookmark } = watchEvent;

const never: readonly [string, () => SourceFault<Pod>][] = [
  ['sourceFaults.delay', () => sourceFaults.delay(0)],
  ['sourceFaults.drop', () => sourceFaults.drop(NEVER)],
  ['sourceFaults.duplicate', () => sourceFaults.duplicate({ times: 1 })],
  ['sourceFaults.expire', () => sourceFaults.expire(NEVER)],
  ['sourceFaults.stall', () => sourceFaults.stall(NEVER)],
  ['sourceFaults.random', () => sourceFaults.random(1, { duration: 0 })],
  ['sourceFaults.reorder', () => sourceFaults.reorder(() => 0)],
  ['sourceFaults.repeat', () => sourceFaults.repeat(NEVER)],
  ['sourceFaults.split', () => sourceFaults.split()],
];

describe.each(never)('%s, as long as nothing goes wrong', (_name, fault) => {
  const x = [added(a)];
  const y = bookmark('7');

  it('passes everything on as batches, and completes with its source', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-y-|', { x, y });
      expectObservable(source.pipe(fault())).toBe('-x-y-|', { x, y: [y] });
      expectSubscriptions(source.subscriptions).toBe('^----!');
    });
  });

  it('passes an error on, after what came before it', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-#', { x }, new Error('broken'));
      expectObservable(source.pipe(fault())).toBe('-x-#', { x }, new Error('broken'));
      expectSubscriptions(source.subscriptions).toBe('^--!');
    });
  });

  it('unsubscribes from its source when its subscriber leaves', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x-x-x', { x });
      expectObservable(source.pipe(fault()), '^---!').toBe('-x-x', { x });
      expectSubscriptions(source.subscriptions).toBe('^---!');
    });
  });

  it('takes sources that are empty, or all there at once', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(fault())).toBe('|');
      expectObservable(of(x).pipe(fault())).toBe('(x|)', { x });
      expectObservable(throwError(() => new Error('no')).pipe(fault())).toBe('#', {}, new Error('no'));
    });
  });

  it('starts over with each subscription', () => {
    informerTest(({ cold, expectObservable }) => {
      const faulty = cold('-x|', { x }).pipe(fault());
      expectObservable(faulty).toBe('-x|', { x });
      expectObservable(faulty, '---^').toBe('----x|', { x });
    });
  });
});
