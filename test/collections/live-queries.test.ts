import { informer, type Informer, fromEvents, type Source } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { concat, defer, EMPTY, firstValueFrom, map, NEVER, of, Subject, take, type Observable } from 'rxjs';
import { a2, byNode, type Pod } from '../fixtures/pods.js';
import { events } from '../fixtures/watch-events.js';
import { dataStreams } from '../informer/support/streams.js';

const { modified } = watchEvent;

const podInformer = (source: Source<Pod>): Informer<Pod, 'node'> =>
  informer(source, {
    linger: 0,
    onUnobservedError: () => undefined,
    indexers: { node: byNode },
    relistBackoff: () => 10,
  });

/** What each stream emits for one history; the letters stand for the texts. */
interface Row {
  readonly history: string;
  readonly values: Readonly<Record<string, string>>;
}

const history = '                    --L--M--N--O--D--|';
const expected: Readonly<Record<string, Row>> = {
  byIndex$: { history: '           --p--q-----r-----|', values: { p: 'a@1', q: 'a@2', r: 'nothing' } },
  byIndexChanges$: {
    history: '                       --p--q-----r-----|',
    values: { p: 'initial: added a@1', q: 'watch: updated a@1→a@2', r: 'watch: deleted a@2' },
  },
  get$: { history: '               --p--q-----r--s--|', values: { p: 'a@1', q: 'a@2', r: 'a@3', s: 'nothing' } },
  list$: {
    history: '                       --p--q--r--s--t--|',
    values: { p: 'a@1 b@1', q: 'a@2 b@1', r: 'a@2 b@2', s: 'a@3 b@2', t: 'b@2' },
  },
  'list$(selector)': {
    history: '                       --p--q-----r--s--|',
    values: { p: 'a@1', q: 'a@2', r: 'a@3', s: 'nothing' },
  },
  'query$ of a range': {
    history: '                       --p--q--r--s--t--|',
    values: { p: 'a@1 b@1', q: 'a@2 b@1', r: 'a@2 b@2', s: 'a@3 b@2', t: 'b@2' },
  },
  'query$ of a count': { history: '  --p--------q-----|', values: { p: '1', q: '0' } },
  indexValues$: { history: '       --p--------q-----|', values: { p: 'n1 n2', q: 'n2' } },
  index$: {
    history: '                       --p-----q--r--s--|',
    values: { p: 'b@1', q: 'b@2', r: 'a@3 b@2', s: 'b@2' },
  },
  'index$ of an object in no bucket': { history: '--p--------------|', values: { p: 'nothing' } },
  select$: {
    history: '                       --p--q--r--s--t--|',
    values: { p: 'a@1 | b@1', q: 'a@2 | b@1', r: 'a@2 | b@2', s: 'nothing | a@3 b@2', t: 'nothing | b@2' },
  },
  snapshot$: {
    history: '                       --p--q--r--s--t--|',
    values: { p: 'version 1', q: 'version 2', r: 'version 3', s: 'version 4', t: 'version 5' },
  },
  changes$: {
    history: '                       --p--q--r--s--t--|',
    values: {
      p: 'initial: added a@1, added b@1',
      q: 'watch: updated a@1→a@2',
      r: 'watch: updated b@1→b@2',
      s: 'watch: updated a@2→a@3',
      t: 'watch: deleted a@4',
    },
  },
};

const onNothing: Readonly<Record<string, string>> = {
  byIndexChanges$: 'initial',
  indexValues$: '',
  'query$ of a count': '0',
  select$: 'nothing | nothing',
  snapshot$: 'version 1',
  changes$: 'initial',
};

describe.each(dataStreams)('the live query %s', (name, open) => {
  const row = expected[name] as Row;
  const first = row.values['p'] as string;

  it('emits the state once synced, then its changes, and completes with its source', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      expectObservable(open(podInformer(source))).toBe(row.history, row.values);
      expectSubscriptions(source.subscriptions).toBe('^----------------!');
    });
  });

  it('emits an empty result once the empty list is complete', () => {
    informerTest(({ hot, expectObservable }) => {
      const source = hot('--E--E--K--|', events);
      expectObservable(open(podInformer(source))).toBe('--p--------|', { p: onNothing[name] ?? 'nothing' });
    });
  });

  it('emits nothing before the first list', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('--K--', events);
      expectObservable(open(podInformer(source)), '^-----!').toBe('-----');
      expectSubscriptions(source.subscriptions).toBe('^-----!');
    });
  });

  it('completes with a source that completes before it has listed', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold<WatchEvent<Pod>>('|');
      expectObservable(open(podInformer(source))).toBe('|');
      expectSubscriptions(source.subscriptions).toBe('(^!)');
    });
  });

  it('emits everything of a source that emits synchronously during subscription', () => {
    const seen: string[] = [];
    let isComplete = false;
    open(
      podInformer(fromEvents(['L', 'M', 'N', 'O', 'D'].map((letter) => events[letter] as WatchEvent<Pod>))),
    ).subscribe({
      next: (text) => seen.push(text),
      complete: () => (isComplete = true),
    });
    expect(seen).toEqual(Object.values(row.values));
    expect(isComplete).toBe(true);
  });

  it('G4: does not end when its source errors, and emits nothing twice when the source returns', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--L--#', events);
      const subscription = '^-----------------------!';
      expectObservable(open(podInformer(source)), subscription).toBe('--p', { p: first });
      expectSubscriptions(source.subscriptions).toBe(['^----!', '---------------^----!']);
    });
  });

  it('G8: unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      expectObservable(open(podInformer(source)), '^--!').toBe('--p', { p: first });
      expectSubscriptions(source.subscriptions).toBe('^--!');
    });
  });

  it('G8: unsubscribes from its source before the first list if its subscriber unsubscribes then', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      expectObservable(open(podInformer(source)), '^!').toBe('-');
      expectSubscriptions(source.subscriptions).toBe('^!');
    });
  });

  it('G8: take(1) unsubscribes from the source at the first value', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      expectObservable(open(podInformer(source)).pipe(take(1))).toBe('--(p|)', { p: first });
      expectSubscriptions(source.subscriptions).toBe('^-!');
    });
  });

  it('G8: take(1) stops a source that would emit forever without a pause', () => {
    let emitted = 0;
    function* forEver(): Generator<WatchEvent<Pod>> {
      yield events['L'] as WatchEvent<Pod>;
      while (emitted++ < 10_000) yield modified(a2);
    }
    const seen: string[] = [];
    open(podInformer(defer(() => fromEvents(forEver()))))
      .pipe(take(1))
      .subscribe((text) => seen.push(text));
    expect(seen).toEqual([first]);
    expect(emitted).toBeLessThan(2);
  });

  it('resolves firstValueFrom with the current content', async () => {
    await expect(firstValueFrom(open(podInformer(concat(of(events['L'] as WatchEvent<Pod>), NEVER))))).resolves.toBe(
      first,
    );
  });

  it('G1: emits the state to a late subscriber at once, without another subscription to the source', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      const pods = podInformer(source);
      expectObservable(open(pods)).toBe(row.history, row.values);
      expectObservable(open(pods).pipe(take(1)), '---^').toBe('---(p|)', { p: first });
      expectSubscriptions(source.subscriptions).toBe('^----------------!');
    });
  });

  it('shares one subscription to the source, from the first subscriber to the last', () => {
    informerTest(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot(history, events);
      const pods = podInformer(source);
      expectObservable(open(pods), '^---!').toBe('--p', { p: first });
      expectObservable(open(pods), '-^--------!').toBe(row.history.trim().slice(0, 10), row.values);
      expectSubscriptions(source.subscriptions).toBe('^---------!');
    });
  });

  it('is not affected by a subscriber that unsubscribes, subscribes and writes to the source inside an emission', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const all: string[] = [];
    const inside: string[] = [];
    const leaving = open(pods).subscribe(() => {
      leaving.unsubscribe();
      open(pods).subscribe((text) => inside.push(text));
      source.next(events['M'] as WatchEvent<Pod>);
      source.next(events['N'] as WatchEvent<Pod>);
    });
    open(pods).subscribe((text) => all.push(text));
    for (const letter of ['L', 'O', 'D']) source.next(events[letter] as WatchEvent<Pod>);
    expect(all).toEqual(Object.values(row.values));
    expect(inside).toEqual(all);
  });

  it('completes for all subscribers if one of them stops the informer inside an emission', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = podInformer(source);
    const seen: string[] = [];
    const record = (who: string): { next: (text: string) => void; complete: () => void } => ({
      next: (text) => seen.push(`${who} ${text}`),
      complete: () => seen.push(`${who} complete`),
    });
    open(pods).subscribe(record('before'));
    open(pods)
      .pipe(map(() => pods.stop()))
      .subscribe({ complete: () => seen.push('stopping complete') });
    open(pods).subscribe(record('after'));
    source.next(events['L'] as WatchEvent<Pod>);
    expect(seen).toEqual([`before ${first}`, 'before complete', 'stopping complete', 'after complete']);
    expect(source.observed).toBe(false);
  });

  it('behaves the same after a restart', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('--L-', events);
      const pods = podInformer(source);
      expectObservable(open(pods), '^---!').toBe('--p', { p: first });
      expectObservable(open(pods), '------^---!').toBe('--------p', { p: first });
      expectSubscriptions(source.subscriptions).toBe(['^---!', '------^---!']);
    });
  });
});

describe('a query for an index that does not exist', () => {
  const pods = podInformer(EMPTY) as unknown as Informer<Pod, 'nodde'>;
  const queries: readonly (readonly [string, () => Observable<unknown>])[] = [
    ['byIndex$', () => pods.byIndex$('nodde', 'n1')],
    ['byIndexChanges$', () => pods.byIndexChanges$('nodde', 'n1')],
    ['indexValues$', () => pods.indexValues$('nodde')],
    ['index$', () => pods.index$('nodde', a2)],
  ];
  it.each(queries)('S8: %s throws at once, and names the existing indexes', (_name, query) => {
    expect(query).toThrow(expect.objectContaining({ code: 'RXI_UNKNOWN_INDEX', known: ['node'] }));
  });
});

describe('list$', () => {
  it('throws for a malformed selector', () => {
    expect(() => podInformer(EMPTY).list$('app in (')).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_SELECTOR' }),
    );
  });
});

describe('index$', () => {
  it('S7: throws what the index function throws for the given object', () => {
    const broken = informer<Pod, 'node'>(EMPTY, {
      indexers: {
        node: () => {
          throw new Error('no node');
        },
      },
    });
    expect(() => broken.index$('node', a2)).toThrow('no node');
  });
});
