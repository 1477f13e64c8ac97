import fc from 'fast-check';
import { informer, type ChangeSet, type Collection, type Informer } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Observable, type Subscriber, type Subscription } from 'rxjs';
import { aPod, byNode, type Pod } from '../../fixtures/pods.js';
import { Replica } from './replica.js';
import { textOf, textOfAll } from './text.js';

const { deleted, listed, modified } = watchEvent;

export type Pods = Informer<Pod, 'node'>;

/**
 * A subscribed live query. It shows the content that its subscriber has received, and the current
 * content of the collection.
 */
export interface Followed {
  readonly subscription: Subscription;
  readonly isComplete: () => boolean;
  readonly hasValue: () => boolean;
  readonly shown: () => string;
  readonly expected: () => string;
  readonly complaints: () => readonly string[];
}

export type Query = (pods: Collection<Pod, 'node'>, onValue?: () => void) => Followed;

const inNode = byNode;
const onN1 = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => inNode(pod) === 'n1');
const sorted = (pods: Iterable<Pod>): readonly Pod[] =>
  [...pods].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));

function ofValues<V>(
  open: (pods: Collection<Pod, 'node'>) => Observable<V>,
  text: (value: V) => string,
  expected: (content: readonly Pod[]) => string,
): Query {
  return follow(open, (value: V, before) => ({ ...before, text: text(value) }), expected);
}

function ofChanges(
  open: (pods: Collection<Pod, 'node'>) => Observable<ChangeSet<Pod>>,
  belongs: (content: readonly Pod[]) => readonly Pod[],
): Query {
  return (pods, onValue) => {
    const replica = new Replica<Pod>();
    const query = follow(
      open,
      (set: ChangeSet<Pod>) => {
        replica.apply(set);
        return { text: textOfAll(sorted(replica.objects.values())), complaints: replica.complaints };
      },
      (content) => textOfAll(belongs(content)),
    );
    return query(pods, onValue);
  };
}

interface Blocked {
  readonly text: string;
  readonly complaints: readonly string[];
}

function follow<V>(
  open: (pods: Collection<Pod, 'node'>) => Observable<V>,
  fold: (value: V, before: Blocked) => Blocked,
  expected: (content: readonly Pod[]) => string,
): Query {
  return (pods, onValue = () => undefined) => {
    let stored: Blocked = { text: 'no value', complaints: [] };
    let isComplete = false;
    const subscription = open(pods).subscribe({
      next: (value) => {
        stored = fold(value, stored);
        onValue();
      },
      complete: () => (isComplete = true),
    });
    return {
      subscription,
      isComplete: () => isComplete,
      hasValue: () => stored.text !== 'no value',
      shown: () => stored.text,
      expected: () => (pods.hasSynced ? expected(pods.snapshot.list()) : 'no value'),
      complaints: () => stored.complaints,
    };
  };
}

const onNodeTwo = aPod({ name: 'z', node: 'n2' });

/** Every kind of live query. */
export const queries: readonly (readonly [string, Query])[] = [
  ['list$', ofValues((pods) => pods.list$(), textOfAll, textOfAll)],
  [
    'list$(selector)',
    ofValues(
      (pods) => pods.list$('app=x'),
      textOfAll,
      (content) => textOfAll(content.filter(({ metadata }) => metadata.labels?.['app'] === 'x')),
    ),
  ],
  [
    'snapshot$',
    ofValues(
      (pods) => pods.snapshot$,
      (snapshot) => textOfAll(snapshot.list()),
      textOfAll,
    ),
  ],
  [
    'byIndex$',
    ofValues(
      (pods) => pods.byIndex$('node', 'n1'),
      textOfAll,
      (content) => textOfAll(onN1(content)),
    ),
  ],
  [
    'index$',
    ofValues(
      (pods) => pods.index$('node', onNodeTwo),
      textOfAll,
      (content) => textOfAll(content.filter((pod) => inNode(pod) === 'n2')),
    ),
  ],
  [
    'indexValues$',
    ofValues(
      (pods) => pods.indexValues$('node'),
      (values) => values.join(),
      (content) => [...new Set(content.flatMap((pod) => inNode(pod) ?? []))].sort().join(),
    ),
  ],
  [
    'select$',
    ofValues(
      (pods) => pods.select$((snapshot) => snapshot.byIndex('node', 'n1')),
      textOfAll,
      (content) => textOfAll(onN1(content)),
    ),
  ],
  [
    'get$',
    ofValues(
      (pods) => pods.get$('a'),
      (pod) => (pod === undefined ? 'none' : textOf(pod)),
      (content) => {
        const pod = content.find(({ metadata }) => metadata.name === 'a');
        return pod === undefined ? 'none' : textOf(pod);
      },
    ),
  ],
  [
    'changes$',
    ofChanges(
      (pods) => pods.changes$,
      (content) => content,
    ),
  ],
  ['byIndexChanges$', ofChanges((pods) => pods.byIndexChanges$('node', 'n1'), onN1)],
];

/**
 * An action of a subscriber or of the test itself. The actions of `inside` run during the emissions
 * of the stream that is opened.
 */
export type Action =
  | { readonly type: 'open'; readonly query: number; readonly inside: readonly Action[] }
  | { readonly type: 'close'; readonly which: number }
  | { readonly type: 'write'; readonly name: string; readonly node: string; readonly app: string }
  | { readonly type: 'delete'; readonly name: string }
  | { readonly type: 'closeAll' | 'list' | 'stop' | 'connect' | 'disconnect' | 'nothing' };

const action: fc.Memo<Action> = fc.memo((depth) =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('open' as const),
        query: fc.nat(queries.length - 1),
        inside: depth > 1 ? fc.array(action(depth - 1), { maxLength: 3 }) : fc.constant([]),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('close' as const), which: fc.nat(5) }) },
    { weight: 3, arbitrary: fc.constant({ type: 'closeAll' as const }) },
    { weight: 4, arbitrary: fc.constant({ type: 'list' as const }) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('write' as const),
        name: fc.constantFrom('a', 'b', 'c'),
        node: fc.constantFrom('n1', 'n2'),
        app: fc.constantFrom('x', 'y'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constantFrom('stop' as const, 'connect' as const, 'disconnect' as const, 'nothing' as const),
      }),
    },
  ),
);

export const someActions = fc.array(action(3), { minLength: 1, maxLength: 12 });

/** An informer with a small server. Its subscribers carry out actions during emissions. */
export class Scene {
  readonly pods: Pods;
  readonly #server = new Map<string, Pod>();
  readonly #open: Followed[] = [];
  readonly #connections: Subscription[] = [];
  #watcher: { readonly sink: Subscriber<WatchEvent<Pod>>; hasListed: boolean } | undefined;
  #version = 0;

  constructor(private readonly listsAtOnce: boolean) {
    const source = new Observable<WatchEvent<Pod>>((sink) => {
      const watcher = { sink, hasListed: false };
      this.#watcher = watcher;
      if (this.listsAtOnce) this.#list();
      return () => {
        if (this.#watcher === watcher) this.#watcher = undefined;
      };
    });
    this.pods = informer(source, { indexers: { node: byNode }, linger: 0 });
  }

  act(action: Action): void {
    switch (action.type) {
      case 'open': {
        const waiting = [...action.inside];
        const [, query] = queries[action.query] as (typeof queries)[number];
        const followed = query(this.pods, () => {
          const next = waiting.shift();
          if (next) this.act(next);
        });
        this.#open.push(followed);
        return;
      }
      case 'close':
        this.#open.splice(action.which % (this.#open.length + 1), 1)[0]?.subscription.unsubscribe();
        return;
      case 'closeAll':
        this.end();
        return;
      case 'write': {
        const { name, node, app } = action;
        const pod = aPod({ name, node, labels: { app }, uid: name, version: ++this.#version });
        this.#server.set(name, pod);
        this.#emit(modified(pod));
        return;
      }
      case 'delete': {
        const pod = this.#server.get(action.name);
        this.#server.delete(action.name);
        if (pod) this.#emit(deleted(pod));
        return;
      }
      case 'list':
        this.#list();
        return;
      case 'stop':
        this.pods.stop();
        return;
      case 'connect':
        this.#connections.push(this.pods.connect());
        return;
      case 'disconnect':
        this.#connections.pop()?.unsubscribe();
        return;
      case 'nothing':
    }
  }

  /**
   * Returns the differences between subscribers and content. Call it when nothing is in progress.
   */
  differences(): readonly string[] {
    const differences: string[] = [];
    const { pods } = this;
    if (this.#watcher?.hasListed === true && textOfAll(pods.list()) !== textOfAll(sorted(this.#server.values()))) {
      differences.push(
        `the cache holds ${textOfAll(pods.list())}, the server ${textOfAll(sorted(this.#server.values()))}`,
      );
    }
    const needed = [...this.#open, ...this.#connections.map((subscription) => ({ subscription }))];
    const isNeeded = needed.some(({ subscription }) => !subscription.closed);
    if (pods.isRunning !== isNeeded)
      differences.push(isNeeded ? 'is needed and does not run' : 'runs without a subscriber');
    if ((this.#watcher !== undefined) !== isNeeded) differences.push('the source is subscribed to at the wrong time');
    if (!isNeeded && pods.hasSynced) differences.push('has content and does not run');
    for (const followed of this.#open) {
      differences.push(...followed.complaints());
      if (followed.subscription.closed) continue;
      if (followed.shown() !== followed.expected()) {
        differences.push(`a stream shows ${followed.shown()} instead of ${followed.expected()}`);
      }
    }
    return differences;
  }

  /** Closes all open streams and connections. */
  end(): void {
    for (const { subscription } of this.#open.splice(0)) subscription.unsubscribe();
    for (const connection of this.#connections.splice(0)) connection.unsubscribe();
  }

  #list(): void {
    if (!this.#watcher) return;
    this.#watcher.hasListed = true;
    this.#watcher.sink.next(listed([...this.#server.values()], String(this.#version)));
  }

  #emit(event: WatchEvent<Pod>): void {
    if (this.#watcher?.hasListed === true) this.#watcher.sink.next(event);
  }
}
