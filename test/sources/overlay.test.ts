import { configMaps, indexByLabel, informer, listWatch, type ConfigMap } from 'rx-informers';
import { overlay, type OverlayOptions } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import type { WatchEvent } from 'rx-informers/store';
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
import { stateOfWrites } from '../../src/sources/overlay/protocol.js';
import { step } from '../../src/sources/overlay/step.js';
import { podOf, spell, type Pod } from '../fixtures/pods.js';
import { overlaidScript, readEvent } from './support/overlay-script.js';
import { describeEvent } from './support/timeline.js';

const batchOf = (text: string): readonly WatchEvent<Pod>[] => text.split(', ').map(readEvent);

/** Virtual time; `at` acts in it, in the order of the times. */
function inVirtualTime(test: (at: (time: number, act: () => void) => void) => void): void {
  informerTest(({ scheduler }) => {
    test((time, act) => {
      scheduler.schedule(act, time);
    });
  });
}

/** A source that lists for each subscriber, and the record `received` of its output. */
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
  const received: string[] = [];
  const subscription = overlaid.subscribe((batch) => received.push(batch.map(describeEvent).join(', ')));
  return { changes, overlaid, received, subscription, subscriptions: () => subscriptions };
}

describe('overlay', () => {
  it('shows the same to all subscribers, and to a later one if its list does not contain the write yet', () => {
    const { overlaid, received } = timedScript(() => 'LISTED 9(a@3)');
    const others: string[][] = [[], []];
    overlaid.subscribe((batch) => others[0]?.push(batch.map(describeEvent).join(', ')));
    overlaid.show(podOf('a@12'));
    overlaid.subscribe((batch) => others[1]?.push(batch.map(describeEvent).join(', ')));
    expect([received, ...others]).toEqual([
      ['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9'],
      ['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9'],
      ['LISTED 9(a@12)'],
    ]);
  });

  it('does not show a write to a subscriber that arrives after its timeout', () => {
    inVirtualTime((at) => {
      const { overlaid, subscription } = timedScript(() => 'LISTED 9(a@3)');
      overlaid.show(podOf('a@12'));
      subscription.unsubscribe();
      at(1000, () => {
        const received: string[] = [];
        overlaid.subscribe((batch) => received.push(batch.map(describeEvent).join(', '))).unsubscribe();
        expect(received).toEqual(['LISTED 9(a@3)']);
      });
    });
    expect.assertions(1);
  });

  it('shows held-back events after the timeout', () => {
    inVirtualTime((at) => {
      const { changes, overlaid, received, subscriptions, subscription } = timedScript(() => 'LISTED 9(a@3)');
      overlaid.show(podOf('a@12'));
      changes.next(batchOf('MODIFIED(a@11)'));
      at(999, () => expect(received).toEqual(['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9', 'BOOKMARK 11']));
      at(1001, () => {
        expect(received.slice(3)).toEqual(['MODIFIED(a@11), BOOKMARK 11']);
        expect(subscriptions()).toBe(1);
        subscription.unsubscribe();
      });
    });
    expect.assertions(3);
  });

  it('requests a new list after the timeout if the watch has not delivered the object', () => {
    inVirtualTime((at) => {
      const { overlaid, received, subscriptions, subscription } = timedScript(() => 'LISTED 9(a@3)');
      overlaid.show(podOf('a@12'));
      overlaid.showDeleted(podOf('b@4'));
      at(1001, () => {
        expect(received).toEqual([
          'LISTED 9(a@3)',
          'MODIFIED(a@12), BOOKMARK 9',
          'DELETED(b@4), BOOKMARK 9',
          'LISTED 9(a@3)',
        ]);
        expect(subscriptions()).toBe(2);
        subscription.unsubscribe();
      });
    });
    expect.assertions(2);
  });

  it('restarts the timeout with a newer response, and not with the same one', () => {
    inVirtualTime((at) => {
      const { changes, overlaid, received, subscription } = timedScript(() => 'LISTED 9(a@3 b@3)');
      overlaid.show(podOf('a@12'));
      overlaid.show(podOf('b@12'));
      changes.next(batchOf('MODIFIED(a@10), MODIFIED(b@10)'));
      at(600, () => {
        overlaid.show(podOf('a@14'));
        overlaid.show(podOf('b@12'));
      });
      at(1200, () =>
        expect(received.slice(3)).toEqual([
          'BOOKMARK 10',
          'MODIFIED(a@14), BOOKMARK 10',
          'MODIFIED(b@10), BOOKMARK 10',
        ]),
      );
      at(1601, () => {
        expect(received.slice(6)).toEqual(['MODIFIED(a@10), BOOKMARK 10']);
        subscription.unsubscribe();
      });
    });
    expect.assertions(2);
  });

  it('shows at most its limit of writes, and leaves others to the watch', () => {
    const script = overlaidScript({ limit: 2 });
    script.play('LISTED 9()', 'show a@10', 'show b@11');
    expect(script.play('show c@12', 'ADDED(c@12)')).toEqual(['ADDED(c@12), DELETED(a@10), DELETED(b@11), BOOKMARK 12']);
    expect(script.play('show c@13')).toEqual(['MODIFIED(c@13), BOOKMARK 12']);
  });

  it('remembers a limited number of deletions, even without a limit on writes', () => {
    let state = stateOfWrites<Pod>([]);
    for (let number = 0; number < 1100; number += 1) {
      const batch = [readEvent(`DELETED(p${number}@${number + 1})`)];
      ({ state } = step(state, { type: 'batch', batch }, Infinity));
    }
    expect(state.deleted.size).toBe(1000);
    expect(state.deleted.has('uid-p1099')).toBe(true);
  });

  it('remembers a limited number of the last writes for late subscribers', () => {
    const { overlaid, subscription } = timedScript(() => 'LISTED 9()', { limit: 2 });
    subscription.unsubscribe();
    for (const written of ['a@10', 'b@11', 'c@12']) overlaid.show(podOf(written));
    const received: string[] = [];
    overlaid.subscribe((batch) => received.push(batch.map(describeEvent).join(', '))).unsubscribe();
    expect(received).toEqual(['LISTED 9(b@11 c@12)']);
  });

  it('does not show objects that the source filters out', () => {
    const { play } = overlaidScript({ accepts: ({ metadata }) => metadata.name !== 'z' });
    play('LISTED 9()');
    expect(play('show z@12', 'show a@12')).toEqual(['MODIFIED(a@12), BOOKMARK 9']);
  });

  it('drops the managed fields of a response, as listWatch does', () => {
    const { play, overlaid, subscription } = overlaidScript();
    play('LISTED 9()');
    const objects: unknown[] = [];
    subscription.add(overlaid.subscribe((batch) => objects.push(batch)));
    const pod = podOf('a@12');
    overlaid.show({ ...pod, metadata: { ...pod.metadata, managedFields: [] } as Pod['metadata'] });
    play('LISTED 9()');
    expect(JSON.stringify(objects)).toContain('"a"');
    expect(JSON.stringify(objects)).not.toContain('managedFields');
  });

  it('passes statuses, errors and bookmarks through in order, batch by batch', () => {
    const received: Record<'plain' | 'overlaid', string[]> = { plain: [], overlaid: [] };
    inVirtualTime((at) => {
      const source = watchMarbles('S(l)L(a)410[S(r)BX]M(a)L()|', { a: aPod({ name: 'a' }) });
      source.subscribe((batch) => received.plain.push(JSON.stringify(batch)));
      overlay(source).subscribe((batch) => received.overlaid.push(JSON.stringify(batch)));
      at(100, () => expect(received.plain).toHaveLength(6));
    });
    expect(received.overlaid).toEqual(received.plain);
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
    play('LISTED 9()', 'show a@12');
    subscription.unsubscribe();
    expect(source.observed).toBe(false);
    let emitted = 0;
    const endless = new Observable<readonly WatchEvent<Pod>[]>((subscriber) => {
      for (; emitted < 1000 && !subscriber.closed; emitted += 1) subscriber.next(batchOf('LISTED 9()'));
    });
    overlay(endless).pipe(take(1)).subscribe();
    expect(emitted).toBe(1);
  });

  it('emits a write that a subscriber makes during a value after that value', () => {
    const { overlaid, play, received } = overlaidScript();
    const notified: string[] = [];
    overlaid.subscribe((batch) => {
      notified.push(batch.map(describeEvent).join(', '));
      if (notified.length === 1) overlaid.show(podOf('a@12'));
    });
    play('LISTED 9(a@3)');
    expect(received).toEqual(['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9']);
    expect(notified).toEqual(['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9']);
  });

  it('shows a write before `show` returns, also to a subscriber that writes during a notification', () => {
    const { overlaid, play } = overlaidScript();
    const notified: string[] = [];
    overlaid.subscribe((batch) => {
      notified.push(batch.map(describeEvent).join(', '));
      if (notified.length > 1) return;
      overlaid.show(podOf('a@12'));
      notified.push('show returned');
    });
    play('LISTED 9(a@3)');
    expect(notified).toEqual(['LISTED 9(a@3)', 'MODIFIED(a@12), BOOKMARK 9', 'show returned']);
  });

  it('throws for a response without a version or a name, and for invalid options', () => {
    const { overlaid } = overlaidScript();
    expect(() => overlaid.show(podOf('a@'))).toThrow(
      expect.objectContaining({ code: 'RXI_UNVERSIONED_OBJECT', key: 'web/a' }),
    );
    expect(() => overlaid.showDeleted(podOf('a@'))).toThrow(
      expect.objectContaining({ code: 'RXI_UNVERSIONED_OBJECT' }),
    );
    expect(() => overlaid.show({ metadata: { resourceVersion: '1' } } as Pod)).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_OBJECT' }),
    );
    for (const ttl of [0, -1, Number.NaN, Infinity]) {
      expect(() => overlay(NEVER, { ttl })).toThrow(
        expect.objectContaining({ code: 'RXI_INVALID_OPTION', option: 'ttl' }),
      );
    }
    expect(() => overlay(NEVER, { limit: 0 })).toThrow(expect.objectContaining({ option: 'limit' }));
  });
});

describe('an informer over an overlay', () => {
  it('G3: shows a write in every stream at once, and exactly once', () => {
    const { overlaid, play } = overlaidScript();
    const pods = informer<Pod, 'name'>(overlaid, { indexers: { name: ({ metadata }) => metadata.name } });
    const received: string[] = [];
    const notify = (stream: string) => (objects: readonly Pod[]) =>
      received.push(`${stream}: ${objects.map(spell).join(' ')}`);
    pods.list$().subscribe(notify('list'));
    pods.byIndex$('name', 'z').subscribe(notify('bucket'));
    play('LISTED 9(a@3)', 'show z@12', 'ADDED(z@12)', 'MODIFIED(z@13)');
    expect(received).toEqual([
      'list: a@3',
      'bucket: ',
      'list: a@3 z@12',
      'bucket: z@12',
      'list: a@3 z@13',
      'bucket: z@13',
    ]);
    pods.stop();
  });

  it('does not treat the watch as caught up: another write is observed when the watch delivers it', () => {
    const { overlaid, play } = overlaidScript();
    const pods = informer(overlaid);
    const observed: string[] = [];
    pods.connect();
    play('LISTED 9(a@3)');
    pods.observed$(podOf('b@10')).subscribe(() => observed.push('b'));
    pods.observed$(podOf('a@12')).subscribe(() => observed.push('a'));
    play('show a@12');
    expect([observed, pods.snapshot.resourceVersion]).toEqual([['a'], '9']);
    play('ADDED(b@10)');
    expect(observed).toEqual(['a', 'b']);
    pods.stop();
  });

  it('still shows a write when its source is subscribed to again', () => {
    const { overlaid } = timedScript(() => 'LISTED 9(a@3)');
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
    const received: string[] = [];
    inVirtualTime((at) => {
      const random = randomFromSeed(1);
      const server = createInMemoryApiServer({ random });
      server.apply([config('a', 'first'), config('b', 'first')]);
      server.faults.always('watch', serverFaults.delay(10_000));
      const source = overlay(listWatch(server.client, configMaps, { initialList: 'pages', random }));
      const configs = informer(source, { random, indexers: { text: indexByLabel('text') } });
      const writes = resourceClient(server.client, configMaps);
      configs.byIndexChanges$('text', 'ours').subscribe(({ changes }) => {
        for (const { type, key } of changes) received.push(`${type} ${key}`);
      });
      configs
        .list$()
        .subscribe((list) =>
          received.push(list.map(({ metadata, data }) => `${metadata.name} ${data?.['text']}`).join(', ')),
        );
      at(1000, () => {
        server.apply(config('a', 'theirs'));
        const patch = { data: { text: 'ours' }, metadata: { labels: { text: 'ours' } } };
        writes.patch('web/a', patch).subscribe((answer) => {
          source.show(answer);
          received.push(`read ${configs.get('web/a')?.data?.['text']}`);
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
        received.push('the watch has come');
        server.apply(config('a', 'last'));
        expect(configs.list()).toEqual(server.objects.list(configMaps).map(withoutManagedFields));
        configs.stop();
        server.stop();
      });
    });
    expect(received).toEqual([
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
