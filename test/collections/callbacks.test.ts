import { informer, type Informer, type SourceStatus } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Observable, Subject, type Subscription } from 'rxjs';
import { a1, a2, b1, byNode, type Pod } from '../fixtures/pods.js';
import { dataStreams } from '../informer/support/streams.js';

const { listed, modified } = watchEvent;

type Pods = Informer<Pod, 'node'>;

/** A source that lists as soon as it is subscribed to, and counts its subscribers. */
class Server {
  readonly events$ = new Subject<WatchEvent<Pod> | readonly WatchEvent<Pod>[]>();
  subscribers = 0;
  readonly source = new Observable<WatchEvent<Pod> | readonly WatchEvent<Pod>[]>((subscriber) => {
    this.subscribers++;
    subscriber.add(() => this.subscribers--);
    subscriber.add(this.events$.subscribe(subscriber));
    subscriber.next(listed([a1, b1], '1'));
  });
}

/**
 * The places where user code runs: each calls `act` once, at the first opportunity after the
 * informer has been connected.
 */
const callbacks: readonly (readonly [
  string,
  (act: (pods: Pods) => void) => { readonly pods: Pods; readonly server: Server },
])[] = [
  [
    'the key function',
    (act) => {
      const server = new Server();
      const pods: Pods = informer(server.source, {
        indexers: { node: byNode },
        linger: 0,
        keyOf: ({ metadata }) => {
          act(pods);
          return metadata.name;
        },
      });
      return { pods, server };
    },
  ],
  [
    'an index function',
    (act) => {
      const server = new Server();
      const node = (pod: Pod): string | undefined => {
        act(pods);
        return byNode(pod);
      };
      const pods: Pods = informer<Pod, 'node'>(server.source, { indexers: { node }, linger: 0 });
      return { pods, server };
    },
  ],
  [
    'status$ (listing)',
    (act) => observing(({ status$ }, pods) => status$.subscribe(({ state }) => state === 'listing' && act(pods))),
  ],
  [
    'status$ (watching)',
    (act) => observing(({ status$ }, pods) => status$.subscribe(({ state }) => state === 'watching' && act(pods))),
  ],
  ['errors$', (act) => observing(({ errors$ }, pods) => errors$.subscribe(() => act(pods)), { fails: true })],
  ['synced$', (act) => observing(({ synced$ }, pods) => synced$.subscribe(() => act(pods)))],
  ['observed$', (act) => observing((_, pods) => pods.observed$(a1).subscribe(() => act(pods)))],
  ...dataStreams.map(
    ([name, open]) =>
      [name, (act: (pods: Pods) => void) => observing((_, pods) => open(pods).subscribe(() => act(pods)))] as const,
  ),
  ['the teardown of the source', (act) => observing(() => undefined, { onLeave: act })],
];

function observing(
  observe: (streams: Pods, pods: Pods) => unknown,
  { fails = false, onLeave }: { readonly fails?: boolean; readonly onLeave?: (pods: Pods) => void } = {},
): { readonly pods: Pods; readonly server: Server } {
  const server = new Server();
  const source = new Observable<WatchEvent<Pod> | readonly WatchEvent<Pod>[]>((subscriber) => {
    subscriber.add(server.source.subscribe(subscriber));
    subscriber.add(() => onLeave?.(pods));
  });
  const pods: Pods = informer<Pod, 'node'>(source, {
    indexers: {
      node: (pod) => {
        if (fails) throw new Error('no index');
        return byNode(pod);
      },
    },
    relistBackoff: () => 1e6,
    linger: 0,
  });
  observe(pods, pods);
  return { pods, server };
}

function once(act: (pods: Pods) => void): (pods: Pods) => void {
  let isDone = false;
  return (pods) => {
    if (isDone) return;
    isDone = true;
    act(pods);
  };
}

const stateOf = ({ pods, server }: { readonly pods: Pods; readonly server: Server }): unknown => ({
  isRunning: pods.isRunning,
  status: pods.status.state,
  keys: pods.keys(),
  hasSynced: pods.hasSynced,
  lastMessageAt: typeof pods.lastMessageAt,
  subscribers: server.subscribers,
});
const stopped = {
  isRunning: false,
  status: 'stopped',
  keys: [],
  hasSynced: false,
  lastMessageAt: 'undefined',
  subscribers: 0,
};
const running = {
  isRunning: true,
  status: 'watching',
  keys: ['a', 'b'],
  hasSynced: true,
  lastMessageAt: 'number',
  subscribers: 1,
};

describe.each(callbacks)('G8: called from %s', (_name, scene) => {
  it('stop() leaves a stopped, empty informer', () => {
    let calls = 0;
    const set = scene(
      once((pods) => {
        calls++;
        pods.stop();
      }),
    );
    // Live queries already have subscribers, which have been called.
    if (calls < 1) set.pods.connect();
    if (calls < 1) set.pods.stop();
    expect(stateOf(set)).toEqual(stopped);
  });

  it('unsubscribing the last reference leaves a stopped, empty informer', () => {
    const connections: Subscription[] = [];
    const set = scene(once(() => connections[0]?.unsubscribe()));
    if (set.pods.isRunning) set.pods.stop();
    connections.push(set.pods.connect());
    connections[0]?.unsubscribe();
    expect(stateOf(set)).toEqual(stopped);
  });

  it('stop() and connect() begin a new run with its own content', () => {
    const set = scene(
      once((pods) => {
        pods.stop();
        pods.connect();
      }),
    );
    set.pods.connect();
    if (!set.pods.isRunning) set.pods.connect();
    expect(stateOf(set)).toEqual(running);
    set.pods.stop();
    // The teardown of the source begins another run in the first stop.
    set.pods.stop();
    expect(stateOf(set)).toEqual(stopped);
  });

  it('connect() keeps the informer as it is', () => {
    const set = scene(once((pods) => void pods.connect()));
    set.pods.connect();
    if (!set.pods.isRunning) set.pods.connect();
    expect(stateOf(set)).toEqual(running);
    set.pods.stop();
    // The teardown of the source begins another run in the first stop.
    set.pods.stop();
    expect(stateOf(set)).toEqual(stopped);
  });
});

describe('stop()', () => {
  it('G1: completes its subscribers before they receive the next run, even if the source lists synchronously', () => {
    const { pods } = observing(() => undefined);
    const seen: string[] = [];
    pods.changes$.subscribe({
      next: ({ reason }) => seen.push(reason),
      complete: () => seen.push('complete'),
    });
    let isFirst = true;
    pods.status$.subscribe(({ state }) => {
      if (state !== 'stopped' || !isFirst) return;
      isFirst = false;
      pods.connect();
    });
    pods.stop();
    expect(seen).toEqual(['initial', 'complete']);
    expect(pods.keys()).toEqual(['a', 'b']);
    pods.stop();
  });
});

describe('status$', () => {
  it('emits the same states to every subscriber in the same order, if one calls stop() in it', () => {
    const { pods } = observing(() => undefined);
    const orders: string[][] = [[], [], []];
    orders.forEach((order, number) => {
      pods.status$.subscribe(({ state }) => {
        order.push(state);
        if (number === 1 && state === 'listing') pods.stop();
      });
    });
    pods.connect();
    expect(orders).toEqual(orders.map(() => ['stopped', 'listing', 'stopped']));
  });

  it('emits the same states to every subscriber in the same order, if one calls connect() in it', () => {
    const { pods } = observing(() => undefined);
    pods.connect();
    const orders: string[][] = [[], [], []];
    orders.forEach((order, number) => {
      pods.status$.subscribe(({ state }) => {
        order.push(state);
        if (number === 1 && state === 'stopped' && order.length === 2) pods.connect();
      });
    });
    pods.stop();
    expect(orders).toEqual(orders.map(() => ['watching', 'stopped', 'listing', 'watching']));
    pods.stop();
  });

  it('`status` is already the last state while status$ still emits earlier ones', () => {
    const { pods } = observing(() => undefined);
    const seen: (readonly [SourceStatus['state'], SourceStatus['state']])[] = [];
    pods.status$.subscribe(({ state }) => {
      if (state === 'listing') pods.stop();
    });
    pods.status$.subscribe(({ state }) => seen.push([state, pods.status.state]));
    pods.connect();
    expect(seen).toEqual([
      ['stopped', 'stopped'],
      ['listing', 'stopped'],
      ['stopped', 'stopped'],
    ]);
  });

  it('whenSynced() of a run that was started inside an emission waits for that run', async () => {
    const source = new Subject<WatchEvent<Pod>>();
    const pods = informer(source, { linger: 0 });
    pods.connect();
    let synced: Promise<void> | undefined;
    pods.status$.subscribe(({ state }) => {
      if (state !== 'stopped' || synced) return;
      pods.connect();
      synced = pods.whenSynced();
    });
    pods.stop();
    source.next(listed([a1], '1'));
    await expect(synced).resolves.toBeUndefined();
    pods.stop();
  });
});

it('errors$ emits the same errors to every subscriber in the same order, if one causes the next', () => {
  const source = new Subject<WatchEvent<Pod>>();
  const pods = informer<Pod>(source, {
    keyOf: ({ metadata }) => {
      throw new Error(metadata.resourceVersion);
    },
    relistBackoff: () => 1e6,
  });
  const orders: string[][] = [[], [], []];
  orders.forEach((order, number) => {
    pods.errors$.subscribe((error) => {
      order.push((error.cause as Error).message);
      if (number === 1 && order.length === 1) source.next(modified(a2));
    });
  });
  pods.connect();
  source.next(modified(a1));
  expect(orders).toEqual(orders.map(() => ['1', '2']));
  pods.stop();
});
