import { bucket, informer, objectByKey, type InformerError } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, map, Subject } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';
import { textOfAll } from './support/text.js';

const { deleted, listed, modified } = watchEvent;

const good = aPod({ name: 'good', version: 1, node: 'n1' });
const better = aPod({ name: 'good', version: 2, node: 'n1' });
const bad = aPod({ name: 'bad', version: 1, node: 'n1' });

const keyOf = ({ metadata }: Pod): string => {
  if (metadata.name === 'bad') throw new Error('no key for this one');
  return metadata.name;
};
const pickyNode = (pod: Pod): string | undefined => {
  if (pod.metadata.name === 'bad') throw new Error('no node for this one');
  return byNode(pod);
};

const events: Readonly<Record<string, WatchEvent<Pod>>> = {
  L: listed([good]),
  X: listed([bad, good]),
  b: modified(bad),
  m: modified(better),
};

/** The objects of diagrams: `x` is the invalid one, `g` the valid one. */
const objects = { g: good, x: bad };

const ignored = (): void => undefined;

/** Waits 2, 4, 8, … ms. */
const relistBackoff = exponentialBackoff({ initial: 2, cap: 1_000, jitter: 0 });

const failing = {
  'a key function': {
    options: { linger: 0, onUnobservedError: ignored, keyOf, indexers: { node: byNode }, relistBackoff },
    stored: false,
  },
  'an index function': {
    options: { linger: 0, onUnobservedError: ignored, indexers: { node: pickyNode }, relistBackoff },
    stored: true,
  },
} as const;

describe.each(Object.entries(failing))('G4: %s that throws', (what, { options, stored }) => {
  it('is emitted on errors$ with type and object, and does not affect other subscribers', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod, 'node'>(source, options);
    const errors: InformerError[] = [];
    const buckets: string[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    pods.byIndex$('node', 'n1').subscribe((bucket) => buckets.push(textOfAll(bucket)));
    source.next(listed([bad, good]));
    source.next(modified(better));
    const expected =
      what === 'a key function'
        ? { code: 'RXI_KEY', object: bad, cause: new Error('no key for this one') }
        : { code: 'RXI_INDEX_FUNCTION', index: 'node', key: 'bad', cause: new Error('no node for this one') };
    expect(errors).toEqual([expect.objectContaining(expected)]);
    expect(buckets).toEqual(['good@1', 'good@2']);
    expect(pods.has('bad')).toBe(stored);
    pods.stop();
  });
});

describe('G4: a key function that throws', () => {
  const { options } = failing['a key function'];

  it('makes the informer list again, with growing waits while it keeps throwing', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-L(xg)');
      const pods = informer<Pod, 'node'>(traffic, options);
      expectQuery(pods, bucket('node', 'n1'), '^------------------!').toBe('-g');
      // Listed 1 ms after each subscription; the waits are 2, 4 and 8 ms.
      expectSubscriptions(traffic.subscriptions).toBe([
        '^--!',
        '---^----!',
        '--------^--------!',
        '-----------------^-!',
      ]);
    });
  });

  it('does not stop the old subscription while it waits', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-L(xg)-M(g)');
      const pods = informer<Pod, 'node'>(traffic, { ...options, relistBackoff: () => 9 });
      expectQuery(pods, bucket('node', 'n1'), '^---------!').toBe('-g-----g');
      expectSubscriptions(traffic.subscriptions).toBe('^---------!');
    });
  });

  it('does not prolong the wait if it throws for a change meanwhile', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-Lb-b-b-', events);
      const pods = informer<Pod, 'node'>(source, { ...options, relistBackoff: () => 5 });
      expectObservable(pods.get$('good').pipe(map(() => 'x')), '^-------!').toBe('-x');
      expectSubscriptions(source.subscriptions).toBe(['^------!', '-------^!']);
    });
  });

  it('is forgotten after the first complete list: the next failure waits as briefly as the first', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      // Failures at 1 and 4 wait 2 and 4; the list at 10 is whole; the failure at 12 waits 2 again.
      const source = hot('-X--X-----L-b---------', events);
      const pods = informer<Pod, 'node'>(source, options);
      expectObservable(pods.get$('good').pipe(map(() => 'x')), '^---------------!').toBe('-x');
      expectSubscriptions(source.subscriptions).toBe(['^--!', '---^----!', '--------^-----!', '--------------^-!']);
    });
  });

  it('is ignored after the last subscriber has unsubscribed: nothing is listed again', () => {
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-L(xg)');
      expectQuery(informer<Pod, 'node'>(traffic, options), objectByKey('good'), '^-!').toBe('-g');
      expectSubscriptions(traffic.subscriptions).toBe('^-!');
    });
  });
});

describe('G4: an index function that throws', () => {
  /**
   * Throws while `isBroken` is true; records the calls for the object that it throws for.
   */
  const flaky = (isBroken: () => boolean) => {
    const calls: number[] = [];
    const node = (pod: Pod): string | undefined => {
      if (pod.metadata.name !== 'bad') return byNode(pod);
      calls.push(asyncScheduler.now());
      if (isBroken()) throw new Error('no node for this one');
      return byNode(pod);
    };
    return { calls, options: { indexers: { node }, relistBackoff, linger: 0 } };
  };

  it('is called again for that object with growing waits while it throws, and nothing is listed again', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const source = cold('-X', events);
      const { calls, options } = flaky(() => true);
      const pods = informer<Pod, 'node'>(source, options);
      const errors$ = pods.errors$.pipe(map(({ name }) => name));
      expectObservable(errors$, '^-------------------!').toBe('-e-e---e-------e', { e: 'RXI_INDEX_FUNCTION' });
      expectObservable(pods.changes$.pipe(map(({ reason }) => reason)), '^-------------------!').toBe('-i', {
        i: 'initial',
      });
      expectSubscriptions(source.subscriptions).toBe('^-------------------!');
      flush();
      // The waits are 2, 4 and 8 ms.
      expect(calls).toEqual([1, 3, 7, 15]);
    });
  });

  it('adds the object to its bucket once it succeeds, and emits nothing elsewhere', () => {
    expectOutput(/RXI_INDEX_FUNCTION/);
    informerTest(objects, ({ source, expectQuery, expectSubscriptions }) => {
      const traffic = source('-L(xg)');
      const { options } = flaky(() => asyncScheduler.now() < 6);
      const pods = informer<Pod, 'node'>(traffic, options);
      expectQuery(pods, bucket('node', 'n1'), '^------------!').toBe('-g-----(xg)');
      expectQuery(pods, objectByKey('bad'), '^------------!').toBe('-x');
      expectSubscriptions(traffic.subscriptions).toBe('^------------!');
    });
  });

  it('is not called again for a deleted object, nor after the informer has stopped', () => {
    expectOutput(/RXI_INDEX_FUNCTION/);
    informerTest(({ cold, expectObservable, flush }) => {
      const { calls, options } = flaky(() => true);
      const gone = informer<Pod, 'node'>(cold('-Xd', { ...events, d: deleted(bad) }), options);
      expectObservable(gone.errors$.pipe(map(({ name }) => name)), '^--------!').toBe('-e', {
        e: 'RXI_INDEX_FUNCTION',
      });
      expectObservable(gone.get$('good').pipe(map(() => 'x')), '^--------!').toBe('-x');
      const stopped = informer<Pod, 'node'>(cold('-X', events), options);
      expectObservable(stopped.get$('good').pipe(map(() => 'x')), '^-!').toBe('-x');
      flush();
      expect(calls).toEqual([1, 1]);
    });
  });

  it('is also called again if its index was added later', () => {
    expectOutput(/RXI_INDEX_FUNCTION/);
    informerTest(({ cold, expectObservable, flush }) => {
      const { calls, options } = flaky(() => true);
      const pods = informer<Pod>(cold('-X', events), { relistBackoff, linger: 0 });
      expectObservable(pods.get$('good').pipe(map(() => 'x')), '^---------!').toBe('-x');
      asyncScheduler.schedule(() => pods.addIndexers(options.indexers), 2);
      flush();
      expect(calls).toEqual([2, 4, 8]);
    });
  });
});

describe('G4: an invalid key or index value', () => {
  it.each([undefined, '', 7])('a key function that returns %p causes the same error as one that throws', (key) => {
    const source = new Subject<WatchEvent<Pod>>();
    const errors: InformerError[] = [];
    const pods = informer<Pod>(source, { keyOf: () => key as string });
    pods.errors$.subscribe((error) => errors.push(error));
    pods.connect();
    source.next(modified(good));
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_KEY', object: good })]);
    pods.stop();
  });

  it.each([null, 7, [7], {}])('an index function that returns %p causes the same error as one that throws', (value) => {
    const source = new Subject<WatchEvent<Pod>>();
    const errors: InformerError[] = [];
    const pods = informer<Pod, 'node'>(source, { indexers: { node: () => value as string } });
    pods.errors$.subscribe((error) => errors.push(error));
    pods.connect();
    source.next(modified(good));
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INDEX_FUNCTION', index: 'node', key: 'good' })]);
    expect(pods.has('good')).toBe(true);
    pods.stop();
  });

  it.each([
    ['no metadata', {}],
    ['no name', { metadata: {} }],
    ['null', null],
  ])('an object with %s causes an error, whether it is listed, changed or deleted', (_what, object) => {
    const nothing = object as unknown as Pod;
    for (const event of [listed([nothing, good]), modified(nothing), deleted(nothing)]) {
      const source = new Subject<WatchEvent<Pod>>();
      const errors: InformerError[] = [];
      const pods = informer(source);
      pods.errors$.subscribe((error) => errors.push(error));
      pods.connect();
      source.next(event);
      expect(errors).toEqual([expect.objectContaining({ code: 'RXI_KEY', object: nothing })]);
      pods.stop();
    }
  });

  it('an error of an index that is added later is emitted at once', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const errors: InformerError[] = [];
    const pods = informer(source);
    pods.errors$.subscribe((error) => errors.push(error));
    pods.connect();
    source.next(listed([bad, good]));
    expect(pods.addIndexers({ node: pickyNode }).byIndex('node', 'n1')).toEqual([good]);
    expect(errors).toEqual([expect.objectContaining({ code: 'RXI_INDEX_FUNCTION', key: 'bad' })]);
    pods.stop();
  });

  it('an object whose index function works again is found under its value with its next list', () => {
    let isBroken = true;
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer<Pod, 'node'>(source, {
      indexers: {
        node: (pod) => {
          if (isBroken) throw new Error('not now');
          return byNode(pod);
        },
      },
    });
    const buckets: string[] = [];
    const errors: InformerError[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    pods.byIndex$('node', 'n1').subscribe((bucket) => buckets.push(textOfAll(bucket)));
    source.next(listed([good]));
    source.next(listed([good]));
    isBroken = false;
    source.next(listed([good]));
    source.next(listed([good]));
    expect(buckets).toEqual(['nothing', 'good@1']);
    expect(errors.map(({ name }) => name)).toEqual(['RXI_INDEX_FUNCTION', 'RXI_INDEX_FUNCTION']);
    pods.stop();
  });
});
