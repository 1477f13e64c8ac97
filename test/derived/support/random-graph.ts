import { isDeepStrictEqual } from 'node:util';
import { createIndexer, informer, matching, type Indexer, type Informer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { bucketSize, metaNamespaceKey, partitionedKey, type Delta, type WatchEvent } from 'rx-informers/store';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { Subject, type Subscription } from 'rxjs';
import { internalsOf } from '../../../src/collections/log-collection.js';
import { Replica } from '../../../src/testing/conformance/collection-agreement.js';
import { aPod, byNode, type Pod } from '../../fixtures/pods.js';
import { failsOn, unlessItFails, type Random } from './random.js';

type Rows = ReadonlyMap<string, Pod>;
type Rooted = derived.DerivedCollection<Pod, 'node'> | Indexer<Pod, 'node'> | Informer<Pod, 'node'>;

/** A collection of a random graph, and the computation of its rows from the rows of its inputs. */
interface Vertex {
  readonly collection: Rooted;
  /** True if its keys contain a partition. Default: as the keys of its first input. */
  readonly isPartitioned?: boolean;
  readonly inputs: readonly number[];
  readonly expected: (...inputs: Rows[]) => Rows;
}

/** The names of objects. Pods also refer to nodes by these names, so that joins find matches. */
const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

function anyPod(random: Random): Pod {
  return aPod({
    name: random.oneOf(names),
    uid: random.oneOf(['u1', 'u1', 'u2']),
    labels: { app: random.oneOf(['x', 'y']) },
    ...(random.chance(0.9) && { node: random.oneOf(names) }),
    ...(random.chance(1 / 20) && { status: 'fails' }),
  });
}

/** The clusters of partitioned roots. */
const clusters = ['eu', 'us'] as const;
/** The collections whose keys contain the cluster: `eu:a`. */
const partitioned = new WeakSet<object>();
const isInside = ({ across }: Options, ...inputs: readonly Rooted[]): boolean =>
  across !== true && inputs.every((input) => partitioned.has(input));
/** Returns the key of an object with this name, seen from the row under `key`. */
const nameFrom = (key: string, name: string, inside: boolean): string =>
  inside ? key.slice(0, key.indexOf(':') + 1) + name : name;

const inOrder = (rows: Rows): Rows => new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
const each = (rows: Rows, compute: (pod: Pod, key: string) => Pod | undefined): Rows =>
  new Map(
    [...rows].flatMap(([key, pod]) => {
      const row = unlessItFails(() => compute(pod, key));
      return row === undefined ? [] : [[key, row] as const];
    }),
  );
const on = (rows: Rows, node: string): Pod[] => [...inOrder(rows).values()].filter((pod) => byNode(pod) === node);
const isX = (pod: Pod): boolean => {
  failsOn(pod);
  return pod.metadata.labels?.['app'] === 'x';
};
/** Returns a row that is a pod again, so that every operator can be applied to it. */
const placed = (pod: Pod, node: string | undefined, ...seen: readonly unknown[]): Pod => ({
  metadata: { ...pod.metadata, annotations: { seen: JSON.stringify(seen) } },
  spec: { ...(node !== undefined && { nodeName: node }) },
});
const follow = (pod: Pod, right: Pod | undefined): Pod => {
  failsOn(pod, right);
  return placed(pod, right && byNode(right), right?.metadata.labels);
};
const crowd = (pod: Pod, right: readonly Pod[]): Pod | undefined => {
  failsOn(...right);
  return right.length === 1 ? undefined : placed(pod, right[0] && byNode(right[0]), right.length);
};
const moved = (pod: Pod, key: string): Pod | undefined => {
  failsOn(pod);
  return byNode(pod) === 'b' ? undefined : placed(pod, byNode(pod), key);
};
const appOf = (pod: Pod): string | undefined => {
  failsOn(pod);
  return pod.metadata.labels?.['app'];
};
/** Returns the row of a group, as a pod with the name of the group. */
const groupPod = (name: string, node: string | undefined, ...seen: readonly unknown[]): Pod =>
  placed(aPod({ name }), node, ...seen);

const sameApp = (pod: Pod) => ({ matchLabels: { app: appOf(pod) ?? '' } });
/** Returns the rows of the partition to which a key belongs. */
const near = (rows: Rows, key: string): Rows =>
  new Map([...rows].filter(([other]) => other.startsWith(nameFrom(key, '', true))));
/** Returns the key, the name and the pods of each node in the order of keys. */
const groups = (rows: Rows, inside: boolean): (readonly [key: string, name: string, pods: readonly Pod[]])[] => {
  const found = new Map<string, readonly [name: string, Pod[]]>();
  for (const [key, pod] of inOrder(rows)) {
    const name = byNode(pod);
    if (name === undefined) continue;
    const group = nameFrom(key, name, inside);
    found.set(group, [name, [...(found.get(group)?.[1] ?? []), pod]]);
  }
  return [...found].map(([key, [name, pods]]) => [key, name, pods] as const);
};

type Options = derived.DerivedOptions<Pod, 'node'> & derived.PartitionOptions;
type Operator = (options: Options, one: Rooted, two: Rooted) => Omit<Vertex, 'inputs'>;

const operators: readonly Operator[] = [
  (options, one) => ({
    collection: derived.filter(one, isX, options),
    expected: (pods) => each(pods, (pod) => (isX(pod) ? pod : undefined)),
  }),
  (options, one) => ({
    collection: derived.map(one, moved, options),
    expected: (pods) => each(pods, moved),
  }),
  (options, one, two) => ({
    collection: derived.union([one, two], options),
    isPartitioned: isInside({}, one, two),
    expected: (pods, others) => new Map([...others, ...pods]),
  }),
  (options, one, two) => ({
    collection: derived.map(
      derived.union({ one, two }, { ...options, indexers: {} }),
      ({ from, object }) => ({ ...object, apiVersion: from }),
      options,
    ),
    isPartitioned: isInside({}, one, two),
    expected: (pods, others) => {
      const named = (from: string, all: Rows): [string, Pod][] =>
        [...all].map(([key, pod]) => {
          const partition = isInside({}, one, two) ? key.slice(0, key.indexOf(':') + 1) : '';
          return [`${partition}${from}/${key.slice(partition.length)}`, { ...pod, apiVersion: from }];
        });
      return new Map([...named('one', pods), ...named('two', others)]);
    },
  }),
  (options, one) => ({
    collection: derived.map(
      derived.groupBy(
        one,
        'node',
        { pods: derived.count(), apps: derived.tally(appOf), last: derived.max((pod) => pod.metadata.name) },
        { ...options, indexers: {} },
      ),
      ({ group, pods, apps, last }) => groupPod(group, last, pods, apps['x'], apps['y']),
      options,
    ),
    isPartitioned: isInside(options, one),
    expected: (pods) => {
      const counted = each(pods, (pod) => (failsOn(pod), pod));
      return new Map(
        groups(counted, isInside(options, one)).map(([key, name, group]) => {
          const withApp = (app: string): number | undefined =>
            group.filter((pod) => appOf(pod) === app).length || undefined;
          const last = group
            .map((pod) => pod.metadata.name)
            .sort()
            .at(-1);
          return [key, groupPod(name, last, group.length, withApp('x'), withApp('y'))];
        }),
      );
    },
  }),
  (options, one) => ({
    collection: derived.derive(one, {}, (pod) => placed(pod, byNode(pod) === 'a' ? undefined : byNode(pod)), options),
    expected: (pods) => each(pods, (pod) => placed(pod, byNode(pod) === 'a' ? undefined : byNode(pod))),
  }),
  (options, one, two) => ({
    collection: derived.derive(
      one,
      { two },
      (pod, read, key) => follow(pod, read.two.get(nameFrom(key, byNode(pod) ?? '', isInside({}, one, two)))),
      options,
    ),
    expected: (pods, others) =>
      each(pods, (pod, key) => follow(pod, others.get(nameFrom(key, byNode(pod) ?? '', isInside({}, one, two))))),
  }),
  (options, one, two) => ({
    collection: derived.derive(
      one,
      { two },
      (pod, read) => crowd(pod, read.two.byIndex('node', pod.metadata.name)),
      options,
    ),
    expected: (pods, others) => each(pods, (pod) => crowd(pod, on(others, pod.metadata.name))),
  }),
  (options, one, two) => ({
    collection: derived.derive(
      one,
      { one, two },
      (pod, read) => {
        const isAlone = read.one.query(bucketSize('node', byNode(pod) ?? '')) === 1;
        return placed(pod, byNode(pod), isAlone, isAlone ? read.two.query(matching<Pod>('app=x')).length : 0);
      },
      options,
    ),
    expected: (pods, others) =>
      each(pods, (pod) => {
        const isAlone = byNode(pod) !== undefined && on(pods, byNode(pod) ?? '').length === 1;
        return placed(
          pod,
          byNode(pod),
          isAlone,
          isAlone ? each(others, (other) => (other.metadata.labels?.['app'] === 'x' ? other : undefined)).size : 0,
        );
      }),
  }),
  (options, one, two) => ({
    collection: derived.leftJoin(one, two, { on: 'node', select: follow, across: options.across }, options),
    expected: (pods, others) => {
      const inside = isInside(options, one, two);
      return each(pods, (pod, key) => follow(pod, others.get(nameFrom(key, byNode(pod) ?? '', inside))));
    },
  }),
  (options, one, two) => ({
    collection: derived.leftJoin(
      one,
      two,
      { on: (pod) => byNode(pod), to: 'node', select: follow, across: options.across },
      options,
    ),
    expected: (pods, others) => {
      const inside = isInside(options, one, two);
      return each(pods, (pod, key) => {
        const found = on(inside ? near(others, key) : others, byNode(pod) ?? '');
        return found.length > 1 ? undefined : follow(pod, found[0]);
      });
    },
  }),
  (options, one, two) => ({
    collection: derived.groupJoin(one, two, { on: 'node', select: crowd, across: options.across }, options),
    expected: (pods, others) => {
      const inside = isInside(options, one, two);
      const name = (key: string): string => (inside ? key.slice(key.indexOf(':') + 1) : key);
      return each(pods, (pod, key) => crowd(pod, on(inside ? near(others, key) : others, name(key))));
    },
  }),
  (options, one) => ({
    collection: derived.map(
      derived.distinct(one, 'node', { ...options, indexers: {} }),
      ({ value, object }) => placed(object, value),
      options,
    ),
    isPartitioned: isInside(options, one),
    expected: (pods) =>
      new Map(
        groups(pods, isInside(options, one)).map(([key, name, [first]]) => [key, placed(first as Pod, name)] as const),
      ),
  }),
  (options, one, two) => ({
    collection: derived.map(
      derived.selectorJoin<Pod, Pod>(
        two,
        one,
        { selector: sameApp, within: 'cluster', across: options.across },
        { ...options, indexers: {} },
      ),
      ({ object, selectedBy }) => placed(object, byNode(object), selectedBy),
      options,
    ),
    expected: (pods, others) => {
      const inside = isInside(options, one, two);
      const selecting = each(others, (pod) => (failsOn(pod), pod));
      return each(pods, (pod, key) => {
        const selectedBy = [...inOrder(inside ? near(selecting, key) : selecting)]
          .filter(([, other]) => sameApp(other).matchLabels.app === pod.metadata.labels?.['app'])
          .map(([selector]) => selector);
        return selectedBy.length === 0 ? undefined : placed(pod, byNode(pod), selectedBy);
      });
    },
  }),
];

/** A collection into which the test writes. */
interface Root {
  readonly collection: Rooted;
  /** Makes a random commit. */
  readonly commit: (random: Random) => void;
  /** Writes one object and returns its key. */
  readonly write: (random: Random) => readonly [key: string, pod: Pod];
  readonly stop: () => void;
}

function indexerRoot(options: derived.DerivedOptions<Pod>): Root {
  const collection = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, options);
  const write = (random: Random) => {
    const pod = anyPod(random);
    collection.update(pod);
    return [pod.metadata.name, pod] as const;
  };
  const commit = (random: Random): void => {
    const key = random.oneOf(names);
    const kind = random.nat(20);
    if (kind < 11) write(random);
    else if (kind < 14) collection.delete(key);
    else if (kind < 18) {
      collection.apply(
        Array.from({ length: random.nat(5) }, (): Delta<Pod> => {
          const object = anyPod(random);
          if (random.chance(0.7)) return { type: 'Updated', key: metaNamespaceKey(object), object };
          return { type: 'Deleted', key: random.oneOf(names), object: undefined, finalStateUnknown: false };
        }),
      );
    } else if (kind < 19) collection.replace(Array.from({ length: random.nat(7) }, () => anyPod(random)));
    else collection.resync();
  };
  return { collection, commit, write, stop: () => undefined };
}

/** Returns an informer over two clusters, in which objects may have the same names. */
function partitionedRoot(scheduler: VirtualClock): Root {
  const events = new Subject<readonly WatchEvent<Pod>[]>();
  const collection = informer<Pod, 'node'>(events, {
    keyOf: partitionedKey(),
    indexers: { node: byNode },
    onUnobservedError: () => undefined,
    scheduler,
  });
  partitioned.add(collection);
  collection.connect();
  const write = (random: Random) => {
    const [partition, object] = [random.oneOf(clusters), anyPod(random)];
    events.next([{ type: 'MODIFIED', object, partition }]);
    return [`${partition}:${object.metadata.name}`, object] as const;
  };
  const anyEvent = (random: Random): WatchEvent<Pod> => {
    const type = random.chance(0.7) ? 'MODIFIED' : 'DELETED';
    return { type, object: anyPod(random), partition: random.oneOf(clusters) };
  };
  const commit = (random: Random): void => {
    if (random.chance(0.6)) write(random);
    else if (random.chance(0.8)) events.next(Array.from({ length: 1 + random.nat(5) }, () => anyEvent(random)));
    else {
      const items = Array.from({ length: random.nat(7) }, () => anyPod(random));
      events.next([{ type: 'LISTED', items, resourceVersion: '1', partition: random.oneOf(clusters) }]);
    }
  };
  return { collection, commit, write, stop: () => collection.stop() };
}

/** A random graph with a random history. It checks what every subscriber receives at any time. */
export class RandomGraph {
  commits = 0;
  readonly #clock = virtualClock();
  readonly #vertices: Vertex[] = [];
  readonly #roots: Root[] = [];
  readonly #seen = new Map<number, { version: number; readonly replica: Replica<Pod>; subscription: Subscription }>();
  #checked: readonly unknown[] = [];
  #expected: Rows[] = [];
  #depth = 0;
  #written = 0;
  #failure: { readonly failure: unknown } | undefined;

  constructor(private readonly random: Random) {
    const quiet = { onUnobservedError: () => undefined, scheduler: this.#clock };
    for (let count = 1 + random.nat(3); count > 0; count--) {
      const root = random.chance(0.5) ? partitionedRoot(this.#clock) : indexerRoot(quiet);
      this.#roots.push(root);
      this.#vertices.push({ collection: root.collection, inputs: [], expected: () => new Map() });
    }
    for (let count = 2 + random.nat(6); count > 0; count--) {
      const operator = random.oneOf(operators);
      const inputs = [random.nat(this.#vertices.length), random.nat(this.#vertices.length)];
      const [one, two] = inputs.map((input) => (this.#vertices[input] as Vertex).collection);
      const options = { ...quiet, linger: 0, indexers: { node: byNode }, across: random.chance(0.2) };
      const vertex = operator(options, one as Rooted, two as Rooted);
      if (vertex.isPartitioned ?? partitioned.has(one as Rooted)) partitioned.add(vertex.collection);
      // The parameters of an operator are the options and one or two collections.
      this.#vertices.push({ ...vertex, inputs: inputs.slice(0, operator.length - 1) });
    }
    this.#vertices.forEach((_, position) => {
      if (random.chance(0.8)) this.#subscribe(position);
    });
  }

  step(random: Random): void {
    const kind = random.nat(20);
    const position = random.nat(this.#vertices.length);
    if (kind < 17) this.#commit(random);
    else if (kind < 18) this.#unsubscribe(position);
    else if (!this.#seen.has(position)) this.#subscribe(position);
    this.#check();
  }

  finish(): void {
    for (const position of [...this.#seen.keys()]) this.#unsubscribe(position);
    for (const { stop } of this.#roots) stop();
    for (const { log } of this.#vertices.map(({ collection }) => internalsOf(collection))) {
      expectEqual([log.dependents.size, log.listeners.all.length], [0, 0]);
    }
    expectEqual(this.#clock.timers, 0);
  }

  #commit(random: Random): void {
    this.commits++;
    random.oneOf(this.#roots).commit(random);
  }

  #subscribe(position: number): void {
    const { collection } = this.#vertices[position] as Vertex;
    const replica = new Replica<Pod>();
    const seen = { version: 0, replica, subscription: undefined as unknown as Subscription };
    this.#seen.set(position, seen);
    seen.subscription = collection.changes$.subscribe((set) => {
      this.#noting(() => {
        if (set.reason !== 'resync') replica.apply(set);
        const { version } = internalsOf(collection).log.announced;
        // Each version is announced once. A resync does not change the version, and only roots
        // announce a resync.
        const isNext = seen.version === 0 || version === seen.version + 1;
        if (!isNext && (set.reason !== 'resync' || position >= this.#roots.length)) {
          expectEqual([position, version], [position, seen.version + 1]);
        }
        seen.version = version;
        this.#check();
        this.#writeBack(collection);
      });
    });
  }

  /**
   * Keeps an error that an assertion in a subscriber throws, because rxjs would report it only
   * after the test.
   */
  #noting(assert: () => void): void {
    try {
      assert();
    } catch (failure) {
      this.#failure ??= { failure };
    }
  }

  /**
   * Sometimes writes from within a subscriber. Reads of the root show the write immediately, and
   * streams emit it afterwards (G3).
   */
  #writeBack(announcing: Rooted): void {
    if (this.#depth > 2 || !this.random.chance(0.1)) return;
    this.#depth++;
    const { log } = internalsOf(announcing);
    const { announced } = log;
    const root = this.random.oneOf(this.#roots);
    const written = ++this.#written;
    const [key, pod] = root.write(this.random);
    // A collection that is not related to this one announces immediately. Its subscribers may then
    // write, too.
    if (this.#written === written) expectEqual(root.collection.get(key), pod);
    this.#check();
    expectEqual(log.announced === announced, true);
    this.#depth--;
  }

  #unsubscribe(position: number): void {
    this.#seen.get(position)?.subscription.unsubscribe();
    this.#seen.delete(position);
  }

  /**
   * Checks that the rows of all running collections follow from one version of each root, at any
   * time (J1, J2).
   */
  #check(): void {
    const logs = this.#vertices.map(({ collection }) => internalsOf(collection).log);
    const state = logs.map(({ announced }) => announced);
    if (isSameState(state, this.#checked)) return;
    this.#expected = [];
    this.#vertices.forEach(({ collection, inputs, expected }, position) => {
      const { announced } = internalsOf(collection).log;
      const actual = new Map(announced.keys().map((key) => [key, announced.get(key) as Pod]));
      const isRoot = position < this.#roots.length;
      this.#expected.push(isRoot ? actual : expected(...inputs.map((input) => this.#expected[input] as Rows)));
      if (!isRoot && announced.version > 0 && !isDeepStrictEqual(actual, inOrder(this.#expected[position] as Rows))) {
        expectEqual({ position, rows: actual }, { position, rows: this.#expected[position] });
      }
    });
    this.#checked = state;
  }

  /**
   * Checks, when nothing is in progress, that the received changes equal the content of each
   * collection.
   */
  checkSubscribers(): void {
    if (this.#failure !== undefined) throw this.#failure.failure;
    for (const [position, { replica }] of this.#seen) {
      const { collection } = this.#vertices[position] as Vertex;
      const { snapshot, hasSynced } = collection;
      const isSame = snapshot.keys().every((key) => replica.objects.get(key) === snapshot.get(key));
      const actual = [position, replica.complaints.join(), isSame, replica.objects.size, hasSynced];
      const expected = [position, '', true, snapshot.size, this.#isSynced(position)];
      expectEqual(actual, expected);
    }
  }

  #isSynced(position: number): boolean {
    const { collection, inputs } = this.#vertices[position] as Vertex;
    if (position < this.#roots.length) return collection.hasSynced;
    return inputs.every((input) => this.#isSynced(input));
  }
}

function isSameState(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, position) => item === b[position]);
}

/**
 * Compares without jest first, because jest's assertion costs more than a commit. Only a failing
 * assertion is made with jest.
 */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
