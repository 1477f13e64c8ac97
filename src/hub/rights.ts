import {
  buffer,
  concat,
  connect,
  debounceTime,
  defaultIfEmpty,
  defer,
  distinctUntilChanged,
  EMPTY,
  exhaustMap,
  filter,
  forkJoin,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  repeat,
  Subscription,
  share,
  switchMap,
  tap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { InformerError } from '../collections/errors.js';
import { informerOver } from '../informer/source-informer.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { clusterScoped, namespaced, type Resource } from '../kubernetes/resource.js';
import { runProtocol, type ProtocolRun } from '../scheduling/run-protocol.js';
import type { KubeClient } from '../sources/client/kube-client.js';
import { listWatch } from '../sources/list-watch.js';
import { newVerdict, stepVerdict, type VerdictInput, type VerdictState, type VerdictTimes } from './verdict.js';
import { identityKey, rightKey, type Reviewer, type RightToRead, type Viewer } from './viewer.js';

/** Receives the verdict on a right: `allowed` at most once, then the end. */
export interface RightObserver {
  allowed(): void;
  ended(reason: 'forbidden' | 'unavailable'): void;
}

/** A right that is in use, and all that wait for its verdict. */
interface FollowedRight {
  readonly namespace: string;
  readonly run: ProtocolRun<VerdictState, VerdictInput>;
  readonly observers: Set<RightObserver>;
}

const rbac = 'rbac.authorization.k8s.io';
const rbacKinds: readonly Resource<KubernetesObject>[] = [
  clusterScoped(rbac, 'v1', 'clusterrolebindings', 'ClusterRoleBinding'),
  clusterScoped(rbac, 'v1', 'clusterroles', 'ClusterRole'),
  namespaced(rbac, 'v1', 'rolebindings', 'RoleBinding'),
  namespaced(rbac, 'v1', 'roles', 'Role'),
];

/** A first list of a kind of RBAC, or a change in a namespace; `''` for the whole cluster. */
type RbacEvent = 'listed' | { readonly changedIn: string };

/** Milliseconds between two requests that find out whether the API server answers. */
const probeInterval = 15_000;

/** Milliseconds from a change of RBAC to a review, and to a second one: authorizers have caches. */
const firstReview = 1_000;
const secondReview = 14_000;

/**
 * The rights of all viewers, as long as they are in use. Viewers with equal identities share them.
 *
 * | event | what happens |
 * | --- | --- |
 * | a right is used for the first time | it is reviewed; nothing is allowed before the answer |
 * | the interval has passed | it is reviewed again |
 * | RBAC changes, and the hub may watch that | the rights in its namespace are reviewed again, after 1 s and after 15 s |
 * | the hub has listed RBAC for the first time | the rights whose review was answered before are reviewed again: the list does not show what changed since |
 * | a review says no, or the token is refused | the right ends at once |
 * | the API server does not answer | rights that are new are refused; the others end after `patience` |
 */
export class Rights {
  readonly #followed = new Map<string, FollowedRight>();
  #clock = Subscription.EMPTY;
  #answeredAt = -Infinity;
  #isAway = false;

  constructor(
    private readonly client: KubeClient,
    private readonly reviewer: Reviewer,
    private readonly times: VerdictTimes,
    private readonly scheduler: SchedulerLike,
    private readonly onError: ((error: InformerError) => void) | undefined,
  ) {}

  /** The number of different rights in use. */
  get size(): number {
    return this.#followed.size;
  }

  /** Follows one right until the result is unsubscribed. */
  follow(viewer: Viewer, right: RightToRead, observer: RightObserver): Subscription {
    const key = rightKey(identityKey(viewer), right);
    const following = new Subscription();
    if (this.#isAway && !this.#clock.closed) {
      observer.ended('unavailable');
      return following;
    }
    const known = this.#followed.get(key);
    const followed = known ?? this.#start(key, viewer, right);
    followed.observers.add(observer);
    following.add(() => {
      followed.observers.delete(observer);
      if (followed.observers.size === 0) this.#end(key, followed);
    });
    if (known === undefined) followed.run.feed({ type: 'doubt', at: this.scheduler.now() });
    else if (followed.run.state.verdict === 'allowed') observer.allowed();
    if (this.#clock.closed && this.#followed.size > 0) this.#clock = this.#keepTime();
    return following;
  }

  stop(): void {
    for (const [key, followed] of [...this.#followed]) this.#end(key, followed);
  }

  #start(key: string, viewer: Viewer, right: RightToRead): FollowedRight {
    const { scheduler, times } = this;
    const run = runProtocol<VerdictState, VerdictInput, 'review' | 'allow' | 'deny' | 'unavailable'>({
      initial: newVerdict(Infinity),
      step: (state, input) => stepVerdict(state, input, times),
      alarm: ({ askedAt, nextAt }) =>
        askedAt === undefined ? { at: nextAt, input: { type: 'doubt', at: scheduler.now() } } : undefined,
      carryOut: (effect) => {
        switch (effect) {
          case 'review':
            run.add(
              this.reviewer
                .mayRead(viewer, right)
                .pipe(defaultIfEmpty('unknown' as const))
                .subscribe((answer) => run.feed({ type: 'answer', right: answer, at: scheduler.now() })),
            );
            return;
          case 'allow':
            for (const observer of [...observers]) if (observers.has(observer)) observer.allowed();
            return;
          case 'deny':
          case 'unavailable':
            this.#end(key, followed);
            for (const observer of [...observers]) observer.ended(effect === 'deny' ? 'forbidden' : effect);
        }
      },
      scheduler,
    });
    const observers = new Set<RightObserver>();
    const followed: FollowedRight = { namespace: right.namespace, run, observers };
    this.#followed.set(key, followed);
    return followed;
  }

  #end(key: string, followed: FollowedRight): void {
    followed.run.unsubscribe();
    // A viewer that was refused may already ask for the same right again.
    if (this.#followed.get(key) === followed) this.#followed.delete(key);
    if (this.#followed.size === 0) this.#clock.unsubscribe();
  }

  /** Finds out whether the API server answers, and which rights may have changed. */
  #keepTime(): Subscription {
    const { scheduler, reviewer } = this;
    const clock = new Subscription();
    this.#answeredAt = scheduler.now();
    this.#isAway = false;
    const probes$ = timer(probeInterval, probeInterval, scheduler).pipe(
      exhaustMap(() => reviewer.mayHub('list', rbacKinds[0] as Resource<unknown>)),
    );
    clock.add(
      probes$.subscribe((right) => {
        const now = scheduler.now();
        this.#isAway = right === 'unknown';
        if (!this.#isAway) this.#answeredAt = now;
        else if (now + probeInterval > this.#answeredAt + this.times.patience) this.#feed({ type: 'away' });
      }),
    );
    const doubts$ = this.#rbac().pipe(
      connect((rbac$) => merge(changedNamespaces(rbac$, scheduler), listedAll(rbac$, scheduler))),
    );
    clock.add(
      doubts$.subscribe((names) => {
        const doubt: VerdictInput = { type: 'doubt', at: scheduler.now() };
        if (names !== 'settled') this.#feed(doubt, names);
        else for (const { run } of [...this.#followed.values()]) if (run.state.askedAt === undefined) run.feed(doubt);
      }),
    );
    return clock;
  }

  /** @param names the namespaces of the rights; `''` stands for all. Default: all */
  #feed(input: VerdictInput, names: ReadonlySet<string> = new Set([''])): void {
    for (const { namespace, run } of [...this.#followed.values()])
      if (names.has('') || names.has(namespace)) run.feed(input);
  }

  /** Follows RBAC while the hub may watch it. */
  #rbac(): Observable<RbacEvent> {
    const mayWatch$ = defer(() => forkJoin(rbacKinds.flatMap((kind) => this.#mayHubRead(kind)))).pipe(
      map((rights) => rights.every((right) => right === 'allowed')),
      repeat({ delay: () => timer(this.times.interval, this.scheduler) }),
      distinctUntilChanged(),
    );
    return mayWatch$.pipe(
      switchMap((mayWatch) => (mayWatch ? merge(...rbacKinds.map((kind) => this.#changesOf(kind))) : EMPTY)),
    );
  }

  #mayHubRead(kind: Resource<unknown>): readonly Observable<unknown>[] {
    return ['list', 'watch'].map((verb) => this.reviewer.mayHub(verb, kind));
  }

  #changesOf(kind: Resource<KubernetesObject>): Observable<RbacEvent> {
    return defer(() => {
      const source = listWatch(this.client, kind, { metadataOnly: true, scheduler: this.scheduler });
      const { changes$, errors$ } = informerOver(source, { linger: 0, scheduler: this.scheduler });
      const { onError } = this;
      if (onError === undefined) return changes$;
      return merge(changes$, errors$.pipe(tap(onError), ignoreElements()));
    }).pipe(
      mergeMap(({ reason, changes }): readonly RbacEvent[] =>
        reason === 'initial'
          ? ['listed']
          : changes.map(({ object }) => ({ changedIn: object.metadata.namespace ?? '' })),
      ),
    );
  }
}

/** Emits the namespaces in which rights may have changed, `''` for the whole cluster. */
function changedNamespaces(rbac$: Observable<RbacEvent>, scheduler: SchedulerLike): Observable<ReadonlySet<string>> {
  const changed$ = rbac$.pipe(
    mergeMap((event) => (event === 'listed' ? EMPTY : of(event.changedIn))),
    share(),
  );
  return changed$.pipe(
    buffer(changed$.pipe(exhaustMap(() => timer(firstReview, scheduler)))),
    map((names) => new Set(names)),
    mergeMap((names) => concat(of(names), timer(secondReview, scheduler).pipe(map(() => names)))),
  );
}

/** Emits after the first lists of RBAC, when the reviews that were sent before are answered. */
function listedAll(rbac$: Observable<RbacEvent>, scheduler: SchedulerLike): Observable<'settled'> {
  return rbac$.pipe(
    filter((event) => event === 'listed'),
    debounceTime(firstReview, scheduler),
    map(() => 'settled' as const),
  );
}
