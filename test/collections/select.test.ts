import { jest } from '@jest/globals';
import { createIndexer, informer, type InformerError, type Pod } from 'rx-informers';
import { metaNamespaceKey, type WatchEvent, watchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { combineLatest, Subject } from 'rxjs';
import { errorWith } from '../support/error-with.js';

const { listed, modified } = watchEvent;

const node = ({ spec }: Pod): string | undefined => spec?.nodeName;
const podsByNode = () => createIndexer<Pod, 'node'>(metaNamespaceKey, { node });
const sizes = (buckets: readonly (readonly Pod[])[]): string => buckets.map(({ length }) => length).join(' ');
const version = (resourceVersion: string, nodeName: string): Pod =>
  aPod({ name: 'a', node: nodeName, resourceVersion });

/** A running informer with what its subscribers and `errors$` receive. */
function running() {
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer(source, { indexers: { node }, linger: 0 });
  const seen: string[] = [];
  const errors: InformerError[] = [];
  pods.errors$.subscribe((error) => errors.push(error));
  const record = (name: string) => ({
    next: (value: unknown) => seen.push(`${name} ${String(value)}`),
    error: () => seen.push(`${name} error`),
    complete: () => seen.push(`${name} complete`),
  });
  return { source, pods, seen, errors, record };
}

describe('select$', () => {
  it('G3: emits once if a commit moves an object between two buckets, while combineLatest shows it in none', () => {
    const pods = podsByNode();
    const combined: string[] = [];
    const selected: string[] = [];
    combineLatest([pods.byIndex$('node', 'n1'), pods.byIndex$('node', 'n2')]).subscribe((buckets) =>
      combined.push(sizes(buckets)),
    );
    pods
      .select$((snapshot) => [snapshot.byIndex('node', 'n1'), snapshot.byIndex('node', 'n2')])
      .subscribe((buckets) => selected.push(sizes(buckets)));
    pods.replace([version('1', 'n1')]);
    pods.update(version('2', 'n2'));
    expect(combined).toEqual(['1 0', '0 0', '0 1']);
    expect(selected).toEqual(['1 0', '0 1']);
  });

  it('G2: emits nothing if its value is the same: by identity, of arrays by their elements, or as isEqual decides', () => {
    const pods = podsByNode();
    const seen: string[] = [];
    pods.select$(({ size }) => size > 0).subscribe((some) => seen.push(`some ${String(some)}`));
    pods.select$(({ size }) => size * NaN).subscribe((value) => seen.push(`number ${value}`));
    pods
      .select$((snapshot) => [...snapshot.byIndex('node', 'n1')])
      .subscribe(({ length }) => seen.push(`n1 ${length}`));
    pods
      .select$(
        ({ size }) => ({ parity: size % 2 }),
        (a, b) => a.parity === b.parity,
      )
      .subscribe(({ parity }) => seen.push(`parity ${parity}`));
    pods.replace([]);
    expect(seen.splice(0)).toEqual(['some false', 'number NaN', 'n1 0', 'parity 0']);
    pods.add(version('1', 'n2'));
    expect(seen.splice(0)).toEqual(['some true', 'parity 1']);
    pods.replace([version('2', 'n1'), aPod({ name: 'b', node: 'n2' }), aPod({ name: 'c', node: 'n2' })]);
    pods.resync();
    expect(seen).toEqual(['n1 1']);
  });

  it('does not call its function for a resync, nor for an empty commit', () => {
    const pods = podsByNode();
    const project = jest.fn(({ size }: { readonly size: number }) => size);
    pods.replace([aPod({ name: 'a' })]);
    pods.select$(project).subscribe();
    pods.resync();
    pods.apply([]);
    pods.delete('default/unknown');
    expect(project).toHaveBeenCalledTimes(1);
  });

  it.each(['project', 'isEqual'])('G4: reports what %s throws as an RXI_SELECT, and keeps its last value', (which) => {
    const { source, pods, seen, errors, record } = running();
    const mistake = new Error('a mistake of the user');
    const failIf = (name: string, size: number): void => {
      if (name === which && size === 1) throw mistake;
    };
    const selected$ = pods.select$(
      ({ size }) => {
        failIf('project', size);
        return size;
      },
      (a, b) => {
        failIf('isEqual', b);
        return a === b;
      },
    );
    selected$.subscribe(record('selected'));
    pods.list$().subscribe(({ length }) => seen.push(`list ${length}`));
    source.next(listed<Pod>([]));
    source.next(modified(aPod({ name: 'a' })));
    source.next(modified(aPod({ name: 'b' })));
    expect(seen).toEqual(['selected 0', 'list 0', 'list 1', 'selected 2', 'list 2']);
    expect(errors).toEqual([errorWith('RXI_SELECT')]);
    expect(errors[0]).toMatchObject({
      version: 2,
      expected: false,
      cause: mistake,
      message:
        'a function passed to select$ threw for version 2; the stream keeps its last value: a mistake of the user',
    });
    pods.stop();
  });

  it('G4: reports thrown values that are not an Error', () => {
    const { source, pods, errors } = running();
    pods
      .select$(() => {
        throw Object.create(null);
      })
      .subscribe();
    source.next(listed<Pod>([]));
    expect(errors).toEqual([errorWith('RXI_SELECT')]);
    pods.stop();
  });

  it('G4: emits its first value with the first version for which its function returns', () => {
    const { source, pods, seen, record } = running();
    const selected$ = pods.select$((snapshot) => {
      const [first] = snapshot.list() as readonly [Pod];
      return first.metadata.name;
    });
    source.next(listed<Pod>([]));
    selected$.subscribe(record('early'));
    source.next(listed<Pod>([]));
    selected$.subscribe(record('late'));
    source.next(modified(aPod({ name: 'a' })));
    expect(seen).toEqual(['early a', 'late a']);
    pods.stop();
  });

  it('G4: without a subscriber of errors$, reports its failure once, under the name of the informer', () => {
    const reported: string[] = [];
    const pods = createIndexer<Pod>(
      metaNamespaceKey,
      {},
      { name: 'web pods', onUnobservedError: ({ name: kind }, name) => reported.push(`${name}: ${kind}`) },
    );
    pods
      .select$(() => {
        throw new Error('a mistake of the user');
      })
      .subscribe();
    pods.add(aPod({ name: 'a' }));
    pods.add(aPod({ name: 'b' }));
    expect(reported).toEqual(['web pods: RXI_SELECT']);
  });

  it('G4: treats a missing index as a failure until the index is added', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey);
    const seen: number[] = [];
    const errors: InformerError[] = [];
    pods.errors$.subscribe((error) => errors.push(error));
    const untyped = pods as unknown as ReturnType<typeof podsByNode>;
    untyped.select$((snapshot) => snapshot.byIndex('node', 'n1').length).subscribe((length) => seen.push(length));
    pods.add(aPod({ name: 'a', node: 'n1' }));
    pods.addIndexers({ node });
    pods.add(aPod({ name: 'b', node: 'n1' }));
    expect([seen, errors.map(({ cause }) => (cause as Error).name)]).toEqual([[2], ['RXI_UNKNOWN_INDEX']]);
  });

  it('G1: emits the current value to a late subscriber, with a separate state', () => {
    const { source, pods, seen, record } = running();
    const selected$ = pods.select$(({ size }) => size);
    selected$.subscribe(record('early'));
    source.next(listed([aPod({ name: 'a' })]));
    selected$.subscribe(record('late'));
    source.next(modified(aPod({ name: 'b' })));
    expect(seen).toEqual(['early 1', 'late 1', 'early 2', 'late 2']);
    pods.stop();
  });

  it('G3: a commit that a subscriber causes in its value is emitted after that value, for all subscribers', () => {
    const pods = podsByNode();
    const seen: string[] = [];
    const selected$ = pods.select$(({ size }) => size);
    selected$.subscribe((size) => {
      seen.push(`first ${size}`);
      if (size < 3) pods.add(aPod({ name: `pod-${size}` }));
    });
    selected$.subscribe((size) => seen.push(`second ${size}`));
    pods.replace([]);
    expect(seen).toEqual([0, 1, 2, 3].flatMap((size) => [`first ${size}`, `second ${size}`]));
  });

  it.each(['its function', 'isEqual', 'errors$'])('G8: emits nothing after it was unsubscribed from in %s', (where) => {
    const pods = podsByNode();
    const seen: number[] = [];
    const leaveIf = (place: string, size: number): void => {
      if (place === where && size > 0) subscription.unsubscribe();
    };
    pods.errors$.subscribe(() => {
      leaveIf('errors$', 1);
    });
    const selected$ = pods.select$(
      ({ size }) => {
        leaveIf('its function', size);
        if (where === 'errors$' && size === 1) throw new Error('a mistake of the user');
        return size;
      },
      (_, size) => {
        leaveIf('isEqual', size);
        return false;
      },
    );
    const subscription = selected$.subscribe((size) => seen.push(size));
    pods.replace([]);
    pods.add(aPod({ name: 'a' }));
    pods.add(aPod({ name: 'b' }));
    expect(seen).toEqual([0]);
  });

  it('completes if the informer is stopped, and starts again with the content after a restart', () => {
    const { source, pods, seen, record } = running();
    const selected$ = pods.select$((snapshot) => snapshot.byIndex('node', 'n1').length);
    selected$.subscribe(record('first'));
    source.next(listed([version('1', 'n1')]));
    pods.stop();
    selected$.subscribe(record('second'));
    source.next(listed([version('1', 'n1')]));
    source.next(modified(version('2', 'n2')));
    expect(seen).toEqual(['first 1', 'first complete', 'second 1', 'second 0']);
    pods.stop();
  });

  it('keeps the informer running while it is subscribed, and no longer', () => {
    const { source, pods } = running();
    const subscription = pods.select$(({ size }) => size).subscribe();
    expect([source.observed, pods.isRunning]).toEqual([true, true]);
    subscription.unsubscribe();
    expect([source.observed, pods.isRunning]).toEqual([false, false]);
  });
});
