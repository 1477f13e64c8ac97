import { jest } from '@jest/globals';
import { allObjects, bucket, informer, matching, objectByKey } from 'rx-informers';
import { indexValues, type WatchEvent, watchEvent } from 'rx-informers/store';
import { externalStores, coalesceFrames } from 'rx-informers/views';
import { Observable, Subject, VirtualTimeScheduler } from 'rxjs';
import { WeakValues } from '../../../src/views/external-stores.js';
import { collectUntil } from '../../support/collect-until.js';
import { errorWith } from '../../support/error-with.js';
import { aThing, groupOf, thingsOf, type Thing } from '../window/thing.js';

const { deleted, listed, modified } = watchEvent;

const a = aThing('a', { group: 'x', labels: { app: 'web' } });
const b = aThing('b', { group: 'y' });
const silent = (): void => undefined;

describe('externalStores', () => {
  // Stores without options linger by the real clock.
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('provide the live queries of a collection, with their current values from the first read on', () => {
    const stores = externalStores(thingsOf(a, b));
    expect(stores.query(bucket('group', 'x')).getSnapshot()).toEqual([a]);
    expect(stores.query(bucket('group', 'none')).getSnapshot()).toEqual([]);
    expect(stores.query(objectByKey('a')).getSnapshot()).toBe(a);
    expect(stores.query(objectByKey('none')).getSnapshot()).toBeUndefined();
    expect(stores.query(allObjects()).getSnapshot()).toEqual([a, b]);
    expect(stores.query(matching('app=web')).getSnapshot()).toEqual([a]);
    expect(stores.query(indexValues('group')).getSnapshot()).toEqual(['x', 'y']);
  });

  it('return the same store for the same query, and another one for each other query', () => {
    const things = thingsOf(a, b);
    const ask = () => {
      const stores = externalStores(things);
      return [
        stores.query(bucket('group', 'x')),
        stores.query(bucket('group', 'y')),
        stores.query(objectByKey('x')),
        stores.query(allObjects()),
        stores.query(matching('app in (web),tier')),
        stores.query(indexValues('group')),
      ] as const;
    };
    const [first, second] = [ask(), ask()];
    first.forEach((store, position) => {
      expect(second[position]).toBe(store);
    });
    expect(new Set(first).size).toBe(first.length);
    const said = externalStores(things).query(
      matching({
        matchLabels: { app: 'web' },
        matchExpressions: [{ key: 'tier', operator: 'Exists' }],
      }),
    );
    expect(said).toBe(first[4]);
    expect(externalStores(things).query(matching(''))).toBe(externalStores(things).query(matching({})));
  });

  it('never confuse two queries, with any characters in their arguments', () => {
    const stores = externalStores(thingsOf(a));
    const odd = ['', ',', '","', 'x","y', '\0', '[]'];
    expect(new Set(odd.map((value) => stores.query(bucket('group', value)))).size).toBe(odd.length);
  });

  it('return separate stores for another collection, and for calls with options', () => {
    const things = thingsOf(a);
    expect(externalStores(things)).toBe(externalStores(things));
    expect(externalStores(things)).not.toBe(externalStores(thingsOf(a)));
    expect(externalStores(things, {})).not.toBe(externalStores(things));
  });

  it('share one subscription to the informer, linger, and then unsubscribe (G8)', () => {
    const scheduler = new VirtualTimeScheduler();
    const events$ = new Subject<readonly WatchEvent<Thing>[]>();
    const sources = { open: 0, ever: 0 };
    const source = new Observable<readonly WatchEvent<Thing>[]>((subscriber) => {
      sources.open++;
      sources.ever++;
      subscriber.add(() => sources.open--);
      subscriber.add(events$.subscribe(subscriber));
    });
    const things = informer(source, { linger: 0, indexers: { group: groupOf } });
    const stores = externalStores(things, { linger: 100, scheduler });
    const seen: string[] = [];
    const leave = [1, 2].map((component) =>
      stores.query(bucket('group', 'x')).subscribe(() => {
        const names = stores
          .query(bucket('group', 'x'))
          .getSnapshot()
          .map(({ metadata }) => metadata.name);
        seen.push(`${component}: ${names.join(' ')}`);
      }),
    );
    events$.next([listed([a, b], '1')]);
    events$.next([modified({ ...b, size: 1 })]);
    events$.next([deleted(a)]);
    expect(seen).toEqual(['1: a', '2: a', '1: ', '2: ']);
    for (const stop of leave) stop();
    stores.query(bucket('group', 'y')).subscribe(silent)();
    expect(sources).toEqual({ open: 1, ever: 1 });
    scheduler.flush();
    expect(sources).toEqual({ open: 0, ever: 1 });
  });

  it('pipe each stream through the given operator', () => {
    const scheduler = new VirtualTimeScheduler();
    const things = thingsOf(a);
    const stores = externalStores(things, { through: (value$) => value$.pipe(coalesceFrames(scheduler)) });
    const store = stores.query(indexValues('group'));
    const seen: string[] = [];
    store.subscribe(() => seen.push(`${scheduler.frame}: ${store.getSnapshot().join(' ')}`));
    expect(store.getSnapshot()).toEqual(['x']);
    things.add(b);
    things.add(aThing('c', { group: 'z' }));
    expect(seen).toEqual([]);
    scheduler.flush();
    expect(seen).toEqual(['16: x y z']);
  });

  it('throw at once for an invalid query', () => {
    const stores = externalStores(thingsOf(a));
    expect(() => stores.query(bucket('grupo' as 'group', 'x'))).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => stores.query(indexValues('grupo' as 'group'))).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
    expect(() => stores.query(matching('a in'))).toThrow(errorWith('RXI_INVALID_SELECTOR'));
    expect(() => externalStores(thingsOf(a), { linger: -1 }).query(allObjects())).toThrow(
      errorWith('RXI_INVALID_OPTION'),
    );
  });
});

describe('WeakValues', () => {
  it('G8: WeakValues keeps no value that is not referenced elsewhere', async () => {
    const values = new WeakValues<object>();
    const stored = values.get('held', () => ({}));
    for (let n = 0; n < 100; n++) values.get(`let go ${n}`, () => ({}));
    await collectUntil(() => values.size === 1);
    expect(values.get('held', () => ({}))).toBe(stored);
  });

  it('finds a store for as long as one of its functions is referenced', async () => {
    const stores = externalStores(thingsOf(a));
    const { getSnapshot } = stores.query(bucket('group', 'x'));
    // The two stores are made alike. If nothing kept the first one, it would be collected with the
    // second one.
    const unused = new WeakRef(stores.query(bucket('group', 'y')));
    await collectUntil(() => unused.deref() === undefined);
    expect(stores.query(bucket('group', 'x')).getSnapshot).toBe(getSnapshot);
  });
});
