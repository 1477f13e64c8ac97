import { emptyWindow, type View, window$, type WindowOptions } from 'rx-informers/views';
import { BehaviorSubject, EMPTY, from, map, NEVER, Subject, throwError } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { aThing, groupOf, nameOf, noThings, sizeOf, textOf, thingsOf, type Thing } from './thing.js';

type Options = WindowOptions<Thing, 'group'>;

const bySize = [{ value: sizeOf }] as const;
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name, position) => aThing(name, { size: 4 - position })) as [
  Thing,
  Thing,
  Thing,
  Thing,
];
const nothing = (): never => {
  throw new Error('asked');
};

function views(): {
  readonly seen: View<Thing>[];
  readonly texts: () => readonly string[];
  see: (v: View<Thing>) => void;
} {
  const seen: View<Thing>[] = [];
  return { seen, texts: () => seen.map(textOf), see: (view) => seen.push(view) };
}

describe('window$', () => {
  it('G1: shows the state first: all objects by key, without options', () => {
    const { seen, see } = views();
    window$(thingsOf(b, a)).subscribe(see);
    expect(seen).toEqual([{ rows: [a, b], keys: ['a', 'b'], total: 2, offset: 0 }]);
  });

  it('G1: shows nothing before the collection has synced, and then an empty view if it is empty', () => {
    const things = noThings();
    const { seen, see } = views();
    window$(things, { sortBy: bySize }).subscribe(see);
    expect(seen).toEqual([]);
    things.replace([]);
    expect(seen).toEqual([emptyWindow]);
  });

  it('sorts, filters, and shows a range, with the count of all rows that match the filter', () => {
    const { seen, see } = views();
    const where = (thing: Thing): boolean => thing !== c;
    window$(thingsOf(a, b, c, d), { sortBy: bySize, where, offset: 1, limit: 1 }).subscribe(see);
    expect(seen).toEqual([{ rows: [b], keys: ['b'], total: 3, offset: 1 }]);
  });

  it('selects one bucket, and labels, on request', () => {
    const things = thingsOf(
      aThing('a', { group: 'x', labels: { app: 'web' } }),
      aThing('b', { group: 'x' }),
      aThing('c', { group: 'y', labels: { app: 'web' } }),
    );
    const texts = [{ index: ['group', 'x'] }, { selector: 'app=web' }, { index: ['group', 'x'], selector: 'app' }].map(
      (options) => {
        const { texts: textsOf, see } = views();
        window$(things, options as Options).subscribe(see);
        return textsOf();
      },
    );
    expect(texts).toEqual([['a b / 2'], ['a c / 2'], ['a / 1']]);
  });

  it('accepts change sets of any origin, of which the first is the state', () => {
    const things = thingsOf(a, b);
    const { texts, see } = views();
    window$(things.byIndexChanges$('group', 'g'), { sortBy: bySize }).subscribe(see);
    things.delete('b');
    expect(texts()).toEqual(['b a / 2', 'a / 1']);
  });

  it('G3: emits once for a commit, however much it changed', () => {
    const things = thingsOf(a, b, c, d);
    const { texts, see } = views();
    window$(things, { sortBy: bySize, limit: 2 }).subscribe(see);
    things.apply([
      { type: 'Deleted', key: 'd', object: undefined, finalStateUnknown: true },
      { type: 'Updated', key: 'a', object: aThing('a', { size: 0 }) },
      { type: 'Added', key: 'e', object: aThing('e', { size: 1 }) },
    ]);
    things.replace([b, c]);
    expect(texts()).toEqual(['d c / 4', 'a e / 4', 'c b / 2']);
  });

  it('G2: emits nothing for changes that affect neither rows nor counts', () => {
    const things = thingsOf(a, b, c, d);
    const { texts, see } = views();
    const where = (thing: Thing): boolean => thing.size !== 1;
    window$(things, { sortBy: bySize, where, limit: 1 }).subscribe(see);
    things.update({ ...a, size: 17 });
    things.update({ ...d, group: 'h' });
    things.resync();
    things.replace(things.list().map((thing) => ({ ...thing })));
    expect(texts()).toEqual(['c / 3']);
    things.delete('a');
    expect(texts()).toEqual(['c / 3', 'c / 2']);
  });

  it('no longer counts an object that moves and is filtered out in one change', () => {
    const things = thingsOf(a, b, c, d);
    const { texts, see } = views();
    window$(things, { sortBy: bySize, where: (thing) => (thing.size ?? 0) > 1, limit: 1 }).subscribe(see);
    things.update({ ...a, size: 0 });
    expect(texts()).toEqual(['c / 3', 'c / 2']);
  });

  it('keeps the same arrays of rows and keys while their content is the same, and returns frozen arrays', () => {
    const things = thingsOf(a, b);
    const { seen, see } = views();
    window$(things, { limit: 2 }).subscribe(see);
    things.add(c);
    expect(seen[1]?.rows).toBe(seen[0]?.rows);
    things.update({ ...a, size: 9 });
    expect(seen[2]?.rows).not.toBe(seen[1]?.rows);
    expect(seen[2]?.keys).toBe(seen[0]?.keys);
    expect(seen[2]?.rows[1]).toBe(seen[0]?.rows[1]);
    expect(seen.every((view) => [view, view.rows, view.keys].every(Object.isFrozen))).toBe(true);
  });

  it('contains the position of its first row; past the end it is empty, and it is filled when there are enough rows', () => {
    const things = thingsOf(a, b, c);
    const { seen, see } = views();
    window$(things, { offset: 2, limit: 5 }).subscribe(see);
    things.delete('a');
    things.add(a);
    expect(seen.map((view) => [textOf(view), view.offset])).toEqual([
      ['c / 3', 2],
      [' / 2', 2],
      ['c / 3', 2],
    ]);
  });

  it('only counts with a limit of 0', () => {
    const things = thingsOf(a, b);
    const { texts, see } = views();
    window$(things, { limit: 0 }).subscribe(see);
    things.update({ ...a, size: 9 });
    things.add(c);
    expect(texts()).toEqual([' / 2', ' / 3']);
  });

  describe('with options that change', () => {
    it('emits once for each value of the options with a different result', () => {
      const things = thingsOf(a, b, c, d);
      const { texts, see } = views();
      const options$ = new BehaviorSubject<Options>({ limit: 2 });
      window$(things, options$).subscribe(see);
      options$.next({ limit: 2, offset: 1 });
      options$.next({ limit: 2, offset: 1, sortBy: bySize });
      options$.next({ limit: 2, offset: 1, sortBy: [...bySize] });
      options$.next({ limit: 2, offset: 0, sortBy: bySize, where: (thing) => thing !== d });
      options$.next({ limit: 2, offset: 0, index: ['group', 'none'] });
      options$.next({ limit: 2, offset: 0, index: ['group', 'g'] });
      expect(texts()).toEqual(['a b / 4', 'b c / 4', 'c b / 4', 'c b / 3', ' / 0', 'a b / 4']);
    });

    it('follows the last requested bucket, and no other', () => {
      const things = thingsOf(aThing('a', { group: 'x' }), aThing('b', { group: 'y' }));
      const { texts, see } = views();
      const value$ = new BehaviorSubject('x');
      window$(things, value$.pipe(map((value) => ({ index: ['group', value] as const })))).subscribe(see);
      value$.next('y');
      things.add(aThing('c', { group: 'x' }));
      things.add(aThing('d', { group: 'y' }));
      expect(texts()).toEqual(['a / 1', 'b / 1', 'b d / 2']);
    });

    it('waits for the first options, and for the state', () => {
      const things = noThings();
      const { texts, see } = views();
      const options$ = new Subject<Options>();
      window$(things, options$).subscribe(see);
      options$.next({ sortBy: bySize });
      options$.next({ limit: 1 });
      things.replace([b, a]);
      expect(texts()).toEqual(['a / 2']);
    });

    it('keeps the last options when they complete, and completes if there were none', () => {
      const things = thingsOf(a);
      const { texts, see } = views();
      window$(things, from<readonly Options[]>([{ limit: 1 }, { limit: 3 }])).subscribe(see);
      things.add(b);
      let isComplete = false;
      window$(things, EMPTY).subscribe({ complete: () => (isComplete = true) });
      expect([texts(), isComplete]).toEqual([['a / 1', 'a b / 2'], true]);
    });

    it('accepts options that its subscriber sends during an emission', () => {
      const things = thingsOf(a, b, c);
      const options$ = new BehaviorSubject<Options>({ limit: 1 });
      const texts: string[] = [];
      window$(things, options$).subscribe((view) => {
        texts.push(textOf(view));
        const { offset = 0 } = options$.value;
        if (offset < 2) options$.next({ limit: 1, offset: offset + 1, index: ['group', 'g'] });
      });
      things.add(d);
      expect(texts).toEqual(['a / 3', 'b / 3', 'c / 3', 'c / 4']);
    });

    it('G1: includes a commit that its subscriber causes during an emission', () => {
      const things = thingsOf(a, b);
      const value$ = new BehaviorSubject('g');
      const texts: string[] = [];
      window$(things, value$.pipe(map((value) => ({ index: ['group', value] as const })))).subscribe((view) => {
        texts.push(textOf(view));
        if (view.total === 0) things.update(aThing('a', { group: 'h' }));
      });
      value$.next('h');
      expect(texts).toEqual(['a b / 2', ' / 0', 'a / 1']);
    });

    it('emits nothing from a bucket that it leaves, even if its subscriber moves an object there at that moment', () => {
      const things = thingsOf(a, aThing('x', { group: 'h' }), aThing('y', { group: 'h' }));
      const value$ = new BehaviorSubject('g');
      const texts: string[] = [];
      window$(things, value$.pipe(map((value) => ({ index: ['group', value] as const })))).subscribe((view) => {
        texts.push(textOf(view));
        if (view.total === 2) things.update(aThing('x', { group: 'g' }));
      });
      value$.next('h');
      expect(texts).toEqual(['a / 1', 'x y / 2', 'y / 1']);
    });
  });

  describe('invalid input', () => {
    const invalid = errorWith('RXI_INVALID_OPTION');

    it.each<[string, Options, unknown]>([
      ['a negative offset', { offset: -1 }, invalid],
      ['half an offset', { offset: 0.5 }, invalid],
      ['an infinite offset', { offset: Infinity }, invalid],
      ['a limit that is not a number', { limit: NaN }, invalid],
      ['a negative limit', { limit: -1 }, invalid],
      ['an invalid selector', { selector: 'a in' }, errorWith('RXI_INVALID_SELECTOR')],
      ['an index that does not exist', { index: ['grupo' as 'group', 'x'] }, errorWith('RXI_UNKNOWN_INDEX')],
    ])('%s throws at once, and is an error of the stream if options are an Observable', (_, options, expected) => {
      expect(() => window$(thingsOf(a), options)).toThrow(expected as Error);
      let error: unknown;
      window$(thingsOf(a), new BehaviorSubject(options)).subscribe({ error: (cause) => (error = cause) });
      expect(error).toEqual(expected);
    });

    it('an index with plain change sets is an unknown index', () => {
      expect(() => window$(thingsOf(a).changes$, { index: ['group' as never, 'x'] })).toThrow(
        errorWith('RXI_UNKNOWN_INDEX'),
      );
    });

    it.each<[string, Options]>([
      ['where', { where: nothing }],
      ['a getter', { sortBy: [{ value: nothing }] }],
      ['a collator', { sortBy: [{ value: groupOf, collator: { compare: nothing } }, { value: nameOf }] }],
    ])('an error of %s ends only this stream', (_, options) => {
      const things = thingsOf(aThing('a', { group: 'x' }), aThing('b', { group: 'y' }));
      const errors: unknown[] = [];
      const error = (cause: unknown): void => void errors.push(cause);
      const { texts, see } = views();
      const options$ = new BehaviorSubject<Options>({});
      window$(things, options).subscribe({ error });
      window$(things, options$).subscribe({ error });
      window$(things).subscribe(see);
      options$.next(options);
      things.add(aThing('c', { group: 'z' }));
      expect(errors).toEqual([new Error('asked'), new Error('asked')]);
      expect(texts()).toEqual(['a b / 2', 'a b c / 3']);
    });

    it('an error of where at a later change ends the stream', () => {
      const things = thingsOf(a);
      let error: unknown;
      const where = (thing: Thing): boolean => thing === a || nothing();
      window$(things, { where }).subscribe({ error: (cause) => (error = cause) });
      things.add(b);
      expect(error).toEqual(new Error('asked'));
    });

    it('an error of the options or of the change sets is passed on', () => {
      const failed$ = throwError(() => new Error('failed'));
      const errors: unknown[] = [];
      const error = (cause: unknown): void => void errors.push(cause);
      window$(thingsOf(a), failed$).subscribe({ error });
      window$<Thing>(failed$, NEVER).subscribe({ error });
      window$<Thing>(failed$).subscribe({ error });
      expect(errors).toEqual([new Error('failed'), new Error('failed')]);
    });

    it('objects without metadata have no labels', () => {
      const things = thingsOf(a);
      const { texts, see } = views();
      window$(things, { selector: '!app' }).subscribe(see);
      things.apply([{ type: 'Added', key: 'bare', object: {} as Thing }]);
      expect(texts()).toEqual(['a / 1', 'a bare / 2']);
    });
  });
});
