import fc from 'fast-check';
import { informer } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Observable, Subject, takeUntil } from 'rxjs';
import { a1, a2, b1, byNode, type Pod } from '../fixtures/pods.js';
import { FedCollection, FedLog } from './support/fed-log.js';
import { Replica } from './support/replica.js';
import { queries, Scene, someActions } from './support/scene.js';
import { dataStreams } from './support/streams.js';

const { listed, modified } = watchEvent;

describe.each(dataStreams)('switching subscriptions to %s', (_name, open) => {
  const lists = new Observable<WatchEvent<Pod>>((subscriber) => {
    subscriber.next(listed([a1, b1], '1'));
  });

  it('keeps the informer running if the old subscription ends inside the first value of the new one', () => {
    let subscriptions = 0;
    const counted = new Observable<WatchEvent<Pod>>((subscriber) => {
      subscriptions++;
      return lists.subscribe(subscriber);
    });
    const pods = informer(counted, { indexers: { node: byNode }, linger: 0 });
    const old = pods.changes$.subscribe();
    const shown: string[] = [];
    open(pods).subscribe((text) => {
      shown.push(text);
      old.unsubscribe();
    });
    expect([subscriptions, shown.length, pods.isRunning, pods.keys()]).toEqual([1, 1, true, ['a', 'b']]);
    pods.stop();
  });

  it('keeps the informer running if the old stream is taken until the new one emits', () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { indexers: { node: byNode }, linger: 0 });
    const fresh$ = new Subject<string>();
    pods.changes$.pipe(takeUntil(fresh$)).subscribe();
    source.next(listed([a1, b1], '1'));
    open(pods).subscribe(fresh$);
    const replica = new Replica<Pod>();
    pods.changes$.subscribe(replica.apply);
    source.next(modified(a2));
    expect([replica.complaints, replica.objects.get('a'), pods.list().length]).toEqual([[], a2, 2]);
    pods.stop();
  });
});

describe.each(queries)('G1: a started subscriber of %s', (_name, query) => {
  it('receives the first content after a restart as a replacement, including deletions', () => {
    const log = new FedLog<Pod>({ node: byNode });
    const pods = new FedCollection({ log, retain: () => undefined });
    const follower = query(pods);
    const list = (...items: Pod[]): void => {
      const keyed = items.map((object) => ({ key: object.metadata.name, object }));
      log.apply([{ type: 'ReplacedAll', items: keyed, resourceVersion: '1' }]);
    };
    list(a1, b1);
    log.reset();
    list(a2);
    expect([follower.shown(), follower.complaints()]).toEqual([follower.expected(), []]);
  });
});

it('G1, G8: every open stream shows the current content, no matter what subscribers do inside each other’s values', () => {
  fc.assert(
    fc.property(someActions, fc.boolean(), (actions, listsAtOnce) => {
      const scene = new Scene(listsAtOnce);
      for (const action of actions) {
        scene.act(action);
        expect(scene.differences()).toEqual([]);
      }
      scene.end();
      expect(scene.differences()).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
