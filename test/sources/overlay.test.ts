import { configMaps, indexByLabel, informer, listWatch, type ConfigMap, type WatchEvent } from 'rx-informers';
import { resourceClient, overlay, type OverlayOptions } from 'rx-informers/controller';
import {
  aConfigMap,
  aPod,
  createInMemoryApiServer,
  randomFromSeed,
  watchMarbles,
  serverFaults,
  informerTest,
} from 'rx-informers/testing';
import { concat, defer, NEVER, Observable, of, Subject, take } from 'rxjs';
import { initialState } from '../../src/sources/overlay/protocol.js';
import { step } from '../../src/sources/overlay/step.js';
import { podOf, spell, type Pod } from '../fixtures/pods.js';
import { overlaidScript, readEvent, spellEvent } from './support/overlay-script.js';

const batchOf = (text: string): readonly WatchEvent<Pod>[] => text.split(', ').map(readEvent);

/** Virtual time; `at` acts in it, in the order of the times. */
function inVirtualTime(test: (at: (time: number, act: () => void) => void) => void): void {
  informerTest(({ scheduler }) => {
    test((time, act) => {
      scheduler.schedule(act, time);
    });
  });
}

/** A source that lists for each subscriber, and the record `told` of its output. */
function timedScript(list: () => string, options: OverlayOptions<Pod> = {}) {
  const changes = new Subject<readonly WatchEvent<Pod>[]>();
  let subscriptions = 0;
  const overlaid = overlay(
    defer(() => {
      subscriptions += 1;
      return concat(of(batchOf(list())), changes);
    }),
    { ttl: 1000, ...options },
  );
  const told: string[] = [];
  const subscription = overlaid.subscribe((batch) => told.push(batch.map(spellEvent).join(', ')));
  return { changes, overlaid, told, subscription, subscriptions: () => subscriptions };
}

describe('overlay', () => {
  it('shows the same to all subscribers, and to a later one if its list does not contain the write yet', () => {
    const { overlaid, told } = timedScript(() => 'L9 a@3');
    const others: string[][] = [[], []];
    overlaid.subscribe((batch) => others[0]?.push(batch.map(spellEvent).join(', ')));
    overlaid.show(podOf('a@12'));
    overlaid.subscribe((batch) => others[1]?.push(batch.map(spellEvent).join(', ')));
    expect([told, ...others]).toEqual([['L9 a@3', 'M a@12, B 9'], ['L9 a@3', 'M a@12, B 9'], ['L9 a@12']]);
  });

  it('does not show a write to a subscriber that arrives after its timeout', () => {
    inVirtualTime((at) => {
      const { overlaid, subscription } = timedScript(() => 'L9 a@3');
      overlaid.show(podOf('a@12'));
      subscription.unsubscribe();
      at(1000, () => {
        const told: string[] = [];
        overlaid.subscribe((batch) => told.push(batch.map(spellEvent).join(', '))).unsubscribe();
        expect(told).toEqual(['L9 a@3']);
      });
    });
    expect.assertions(1);
  });

  it('shows held-back events after the timeout', () => {
    inVirtualTime((at) => {
      const { changes, overlaid, told, subscriptions, subscription } = timedScript(() => 'L9 a@3');
      overlaid.show(podOf('a@12'));
      changes.next(batchOf('M a@11'));
      at(999, () => expect(told).toEqual(['L9 a@3', 'M a@12, B 9', 'B 11']));
      at(1001, () => {
        expect(told.slice(3)).toEqual(['M a@11, B 11']);
        expect(subscriptions()).toBe(1);
        subscription.unsubscribe();
      });
    });
    expect.assertions(3);
  });

  it('requests a new list after the timeout if the watch has not delivered the object', () => {
    inVirtualTime((at) => {
      const { overlaid, told, subscriptions, subscription } = timedScript(() => 'L9 a@3');
      overlaid.show(podOf('a@12'));
      overlaid.showDeleted(podOf('b@4'));
      at(1001, () => {
        expect(told).toEqual(['L9 a@3', 'M a@12, B 9', 'D b@4, B 9', 'L9 a@3']);
        expect(subscriptions()).toBe(2);
        subscription.unsubscribe();
      });
    });
    expect.assertions(2);
  });

  it('restarts the timeout with a newer response, and not with the same one', () => {
    inVirtualTime((at) => {
      const { changes, overlaid, told, subscription } = timedScript(() => 'L9 a@3 b@3');
      overlaid.show(podOf('a@12'));
      overlaid.show(podOf('b@12'));
      changes.next(batchOf('M a@10, M b@10'));
      at(600, () => {
        overlaid.show(podOf('a@14'));
        overlaid.show(podOf('b@12'));
      });
      at(1200, () => expect(told.slice(3)).toEqual(['B 10', 'M a@14, B 10', 'M b@10, B 10']));
      at(1601, () => {
        expect(told.slice(6)).toEqual(['M a@10, B 10']);
        subscription.unsubscribe();
      });
    });
    expect.assertions(2);
  });

  it('shows at most its limit of writes, and leaves others to the watch', () => {
    const script = overlaidScript({ limit: 2 });
    script.play('L9 ', 'show a@10', 'show b@11');
    expect(script.play('show c@12', 'A c@12')).toEqual(['A c@12, D a@10, D b@11, B 12']);
    expect(script.play('show c@13')).toEqual(['M c@13, B 12']);
  });

  it('remembers a limited number of deletions, even without a limit on writes', () => {
    let state = initialState<Pod>([]);
    for (let number = 0; number < 1100; number += 1) {
      const batch = [readEvent(`D p${number}@${number + 1}`)];
      ({ state } = step(state, { type: 'batch', batch }, Infinity));
    }
    expect(state.deleted.size).toBe(1000);
    expect(state.deleted.has('uid-p1099')).toBe(true);
  });

  it('remembers a limited number of the last writes for late subscribers', () => {
    const { overlaid, subscription } = timedScript(() => 'L9 ', { limit: 2 });
    subscription.unsubscribe();
    for (const spelled of ['a@10', 'b@11', 'c@12']) overlaid.show(podOf(spelled));
    const told: string[] = [];
    overlaid.subscribe((batch) => told.push(batch.map(spellEvent).join(', '))).unsubscribe();
    expect(told).toEqual(['L9 b@11 c@12']);
  });

  it('does not show objects that the source filters out', () => {
    const { play } = overlaidScript({ accepts: ({ metadata }) => metadata.name !== 'z' });
    play('L9 ');
    expect(play('show z@12', 'show a@12')).toEqual(['M a@12, B 9']);
  });

  it('drops the managed fields of a response, as listWatch does', () => {
    const { play, overlaid, subscription } = overlaidScript();
    play('L9 ');
    const objects: unknown[] = [];
    subscription.add(overlaid.subscribe((batch) => objects.push(batch)));
    const pod = podOf('a@12');
    overlaid.show({ ...pod, metadata: { ...pod.metadata, managedFields: [] } as Pod['metadata'] });
    play('L9 ');
    expect(JSON.stringify(objects)).toContain('"a"');
    expect(JSON.stringify(objects)).not.toContain('managedFields');
  });

  it('passes statuses, errors and bookmarks through in order, batch by batch', () => {
    const told: Record<'plain' | 'overlaid', string[]> = { plain: [], overlaid: [] };
    inVirtualTime((at) => {
      const source = watchMarbles('S(l)L(a)410[S(r)BX]M(a)L()|', { a: aPod({ name: 'a' }) });
      source.subscribe((batch) => told.plain.push(JSON.stringify(batch)));
      overlay(source).subscribe((batch) => told.overlaid.push(JSON.stringify(batch)));
      at(100, () => expect(told.plain).toHaveLength(6));
    });
    expect(told.overlaid).toEqual(told.plain);
  });

  it('passes completion and the error of its source on', () => {
    const ends: string[] = [];
    const [completing, failing] = [overlaidScript(), overlaidScript()];
    completing.overlaid.subscribe({ complete: () => ends.push('complete') });
    failing.overlaid.subscribe({ error: (error: unknown) => ends.push(String(error)) });
    // The error of the first subscriber of the script has no handler.
    failing.subscription.unsubscribe();
    completing.source.complete();
    failing.source.error(new Error('broken'));
    expect(ends).toEqual(['complete', 'Error: broken']);
    expect(completing.play('show a@12')).toEqual([]);
  });

  it('unsubscribes from its source and clears its timer with its subscriber, even while the source is emitting', () => {
    const { source, subscription, play } = overlaidScript();
    play('L9 ', 'show a@12');
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
    let emitted = 0;
    const endless = new Observable<readonly WatchEvent<Pod>[]>((subscriber) => {
      for (; emitted < 1000 && !subscriber.closed; emitted += 1) subscriber.next(batchOf('L9 '));
    });
    overlay(endless).pipe(take(1)).subscribe();
    expect(emitted).toBe(1);
  });

  it('emits a write that a subscriber makes during a value after that value', () => {
    const { overlaid, play, told } = overlaidScript();
    const heard: string[] = [];
    overlaid.subscribe((batch) => {
      heard.push(batch.map(spellEvent).join(', '));
      if (heard.length === 1) overlaid.show(podOf('a@12'));
    });
    play('L9 a@3');
    expect(told).toEqual(['L9 a@3', 'M a@12, B 9']);
    expect(heard).toEqual(['L9 a@3', 'M a@12, B 9']);
  });

  it('shows a write before `show` returns, also to a subscriber that writes during a notification', () => {
    const { overlaid, play } = overlaidScript();
    const heard: string[] = [];
    overlaid.subscribe((batch) => {
      heard.push(batch.map(spellEvent).join(', '));
      if (heard.length > 1) return;
      overlaid.show(podOf('a@12'));
      heard.push('show returned');
    });
    play('L9 a@3');
    expect(heard).toEqual(['L9 a@3', 'M a@12, B 9', 'show returned']);
  });

  it('throws for a response without a version or a name, and for invalid options', () => {
    const { overlaid } = overlaidScript();
    expect(() => overlaid.show(podOf('a@'))).toThrow(
      expect.objectContaining({ name: 'UnversionedObjectError', key: 'web/a' }),
    );
    expect(() => overlaid.showDeleted(podOf('a@'))).toThrow(
      expect.objectContaining({ name: 'UnversionedObjectError' }),
    );
    expect(() => overlaid.show({ metadata: { resourceVersion: '1' } } as Pod)).toThrow(
      expect.objectContaining({ name: 'InvalidObjectError' }),
    );
    for (const ttl of [0, -1, Number.NaN, Infinity]) {
      expect(() => overlay(NEVER, { ttl })).toThrow(
        expect.objectContaining({ name: 'InvalidOptionError', option: 'ttl' }),
      );
    }
    expect(() => overlay(NEVER, { limit: 0 })).toThrow(expect.objectContaining({ option: 'limit' }));
  });
});

describe('an informer over an overlay', () => {
  it('G3: shows a write in every stream at once, and exactly once', () => {
    const { overlaid, play } = overlaidScript();
    const pods = informer<Pod, 'name'>(overlaid, { indexers: { name: ({ metadata }) => metadata.name } });
    const told: string[] = [];
    const tell = (stream: string) => (objects: readonly Pod[]) =>
      told.push(`${stream}: ${objects.map(spell).join(' ')}`);
    pods.list$().subscribe(tell('list'));
    pods.byIndex$('name', 'z').subscribe(tell('bucket'));
    play('L9 a@3', 'show z@12', 'A z@12', 'M z@13');
    expect(told).toEqual(['list: a@3', 'bucket: ', 'list: a@3 z@12', 'bucket: z@12', 'list: a@3 z@13', 'bucket: z@13']);
    pods.stop();
  });

  it('does not treat the watch as caught up: another write is observed when the watch delivers it', () => {
    const { overlaid, play } = overlaidScript();
    const pods = informer(overlaid);
    const observed: string[] = [];
    pods.connect();
    play('L9 a@3');
    pods.observed$(podOf('b@10')).subscribe(() => observed.push('b'));
    pods.observed$(podOf('a@12')).subscribe(() => observed.push('a'));
    play('show a@12');
    expect([observed, pods.snapshot.resourceVersion]).toEqual([['a'], '9']);
    play('A b@10');
    expect(observed).toEqual(['a', 'b']);
    pods.stop();
  });

  it('still shows a write when its source is subscribed to again', () => {
    const { overlaid } = timedScript(() => 'L9 a@3');
    const pods = informer(overlaid);
    pods.connect().unsubscribe();
    overlaid.show(podOf('a@12'));
    pods.connect();
    expect(pods.list().map(spell)).toEqual(['a@12']);
    pods.stop();
  });
});

describe('an overlay over the API server', () => {
  const config = (name: string, text: string): ConfigMap =>
    aConfigMap({ name, namespace: 'web', data: { text }, labels: { text } });

  it('shows its writes at once while the watch is late, and never an older version after that', () => {
    const told: string[] = [];
    inVirtualTime((at) => {
      const random = randomFromSeed(1);
      const server = createInMemoryApiServer({ random });
      server.apply([config('a', 'first'), config('b', 'first')]);
      server.faults.always('watch', serverFaults.delay(10_000));
      const source = overlay(listWatch(server.client, configMaps, { initialList: 'pages', random }));
      const configs = informer(source, { random, indexers: { text: indexByLabel('text') } });
      const writes = resourceClient(server.client, configMaps);
      configs.byIndexChanges$('text', 'ours').subscribe(({ changes }) => {
        for (const { type, key } of changes) told.push(`${type} ${key}`);
      });
      configs
        .list$()
        .subscribe((list) =>
          told.push(list.map(({ metadata, data }) => `${metadata.name} ${data?.['text']}`).join(', ')),
        );
      at(1000, () => {
        server.apply(config('a', 'theirs'));
        const patch = { data: { text: 'ours' }, metadata: { labels: { text: 'ours' } } };
        writes.patch('web/a', patch).subscribe((answer) => {
          source.show(answer);
          told.push(`read ${configs.get('web/a')?.data?.['text']}`);
        });
      });
      at(2000, () => {
        writes.create({ metadata: { name: 'c', namespace: 'web' }, data: { text: 'new' } }).subscribe((answer) => {
          source.show(answer);
        });
      });
      at(3000, () => {
        const b = configs.get('web/b') as ConfigMap;
        writes.delete('web/b').subscribe(() => {
          source.showDeleted(b);
        });
      });
      at(20_000, () => {
        told.push('the watch has come');
        server.apply(config('a', 'last'));
        expect(configs.list()).toEqual(server.objects.list(configMaps).map(withoutManagedFields));
        configs.stop();
        server.stop();
      });
    });
    expect(told).toEqual([
      'a first, b first',
      'a ours, b first',
      'added web/a',
      'read ours',
      'a ours, b first, c new',
      'a ours, c new',
      'the watch has come',
      'a last, c new',
      'deleted web/a',
    ]);
  });
});

function withoutManagedFields({ metadata: { managedFields: _dropped, ...metadata }, ...rest }: ConfigMap): unknown {
  return { ...rest, metadata };
}
