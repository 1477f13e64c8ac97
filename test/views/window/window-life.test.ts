import { BehaviorSubject, Observable, of, Subject, take, VirtualTimeScheduler } from 'rxjs';
import { informer, pods, type Pod, listWatch, type WatchEvent, watchEvent } from 'rx-informers';
import { aPod, createInMemoryApiServer, randomFromSeed } from 'rx-informers/testing';
import { window$, type WindowOptions } from 'rx-informers/views';
import { aThing, groupOf, textOf, type Thing } from './thing.js';

const { listed, modified } = watchEvent;

type Options = WindowOptions<Thing, 'group'>;

/** An informer that nobody else uses, and what happens to its source. */
function alone() {
  const events$ = new Subject<readonly WatchEvent<Thing>[]>();
  const sources = { open: 0, ever: 0 };
  const source = new Observable<readonly WatchEvent<Thing>[]>((subscriber) => {
    sources.open++;
    sources.ever++;
    subscriber.add(() => sources.open--);
    subscriber.add(events$.subscribe(subscriber));
  });
  const things = informer(source, { linger: 0, indexers: { group: groupOf } });
  const list = (): void => {
    events$.next([listed([aThing('a', { group: 'x' }), aThing('b', { group: 'y' })], '1')]);
  };
  return { events$, sources, things, list };
}

describe('window$ over an informer', () => {
  it('starts it, shows what it lists and what changes, and stops it on leaving (G8)', () => {
    const { events$, sources, things, list } = alone();
    const texts: string[] = [];
    const shown = window$(things).subscribe((view) => texts.push(textOf(view)));
    expect(sources.open).toBe(1);
    list();
    events$.next([modified(aThing('c'))]);
    shown.unsubscribe();
    expect([texts, sources.open]).toEqual([['a b / 2', 'a b c / 3'], 0]);
  });

  it('goes from one bucket to another without stopping it', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({ index: ['group', 'x'] });
    const texts: string[] = [];
    const shown = window$(things, options$).subscribe((view) => texts.push(textOf(view)));
    list();
    options$.next({ index: ['group', 'y'] });
    options$.next({});
    expect([texts, sources]).toEqual([['a / 1', 'b / 1', 'a b / 2'], { open: 1, ever: 1 }]);
    shown.unsubscribe();
    expect(sources.open).toBe(0);
  });

  it('does not start it before there are options', () => {
    const { sources, things } = alone();
    const shown = window$(things, new Subject<Options>()).subscribe();
    expect(sources.ever).toBe(0);
    shown.unsubscribe();
  });

  it('completes when it is stopped, and leaves the options', () => {
    const { things, list } = alone();
    const options$ = new BehaviorSubject<Options>({});
    let isComplete = false;
    window$(things, options$).subscribe({ complete: () => (isComplete = true) });
    list();
    things.stop();
    expect([isComplete, options$.observed]).toEqual([true, false]);
  });

  it('G8: unsubscribes from informer and options when its subscriber leaves, whichever of them emitted', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({});
    window$(things, options$).pipe(take(1)).subscribe();
    list();
    expect([sources.open, options$.observed]).toEqual([0, false]);
    const connection = things.connect();
    list();
    window$(things, options$).pipe(take(2)).subscribe();
    options$.next({ index: ['group', 'x'] });
    expect(options$.observed).toBe(false);
    connection.unsubscribe();
    expect(sources.open).toBe(0);
  });

  it('does not follow options that come at once when its subscriber has left', () => {
    const { sources, things, list } = alone();
    const connection = things.connect();
    list();
    window$(things, of<Options[]>({}, { index: ['group', 'x'] }, { index: ['group', 'y'] }))
      .pipe(take(1))
      .subscribe();
    connection.unsubscribe();
    expect(sources).toEqual({ open: 0, ever: 1 });
  });

  it('leaves both after an error of a filter (G8)', () => {
    const { sources, things, list } = alone();
    const options$ = new BehaviorSubject<Options>({
      where: () => {
        throw new Error('asked');
      },
    });
    const errors: unknown[] = [];
    window$(things, options$).subscribe({ error: (error) => errors.push(error) });
    list();
    expect([errors, sources.open, options$.observed]).toEqual([[new Error('asked')], 0, false]);
  });

  it('follows a server, through a connection that is cut', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 60_000);
    const server = createInMemoryApiServer({ scheduler, random: randomFromSeed(1) });
    server.apply([aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n2' }), aPod({ name: 'skipped' })]);
    const podInformer = informer(listWatch(server.client, pods, { scheduler, random: randomFromSeed(2) }), {
      scheduler,
    });
    const seen: string[] = [];
    const shown = window$(podInformer, {
      where: (pod: Pod) => pod.metadata.name !== 'skipped',
      sortBy: [{ value: (pod: Pod) => pod.spec?.nodeName, direction: 'descending' }],
      limit: 2,
    }).subscribe(({ keys, total }) => seen.push(`${keys.join(' ')} / ${total}`));
    const at = (time: number, act: () => void): void => {
      scheduler.schedule(act, time);
    };
    at(1000, () => {
      server.apply(aPod({ name: 'c', node: 'n3' }));
    });
    at(2000, () => {
      server.restart();
      server.apply(aPod({ name: 'd', node: 'n0' }));
    });
    at(59_000, () => {
      shown.unsubscribe();
    });
    scheduler.flush();
    expect(seen).toEqual(['default/b default/a / 2', 'default/c default/b / 3', 'default/c default/b / 4']);
  });
});
