import {
  defer,
  finalize,
  map,
  Observable,
  of,
  share,
  Subscription,
  switchMap,
  tap,
  timeout,
  type SchedulerLike,
} from 'rxjs';
import { invalidOptionError, isRxInformersError } from '../kubernetes/errors.js';
import { resourceName, type Resource } from '../kubernetes/resource.js';
import {
  reviewAccess,
  reviewRights,
  type NamespaceRights,
  type ReviewedUser,
  type Right,
} from '../requests/readable-namespaces.js';
import { wrappedClient, type KubeClient } from '../sources/client/kube-client.js';

/**
 * Identifies the user of a connection: a bearer token, or an identity that an authenticating proxy
 * has confirmed.
 *
 * Never take an identity from headers that the browser can set.
 */
export type Viewer = { readonly token: string } | ReviewedUser;

/** The right to list and watch a kind in a namespace; `''` means all namespaces, or the cluster. */
export interface RightToRead {
  readonly resource: Resource<unknown>;
  readonly namespace: string;
}

/** Returns a key that is equal only for equal identities, with all their groups and extra. */
export function identityKey(viewer: Viewer): string {
  if ('token' in viewer) return JSON.stringify(['token', viewer.token]);
  const { user, groups, uid = '', extra } = withGroups(viewer);
  const sorted = Object.entries(extra ?? {}).map(([name, values]) => [name, [...values].sort()] as const);
  return JSON.stringify(['user', user, uid, groups, sorted.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Returns the identity with the group of all authenticated users, and each group once. */
function withGroups({ groups = [], ...viewer }: ReviewedUser): ReviewedUser & { readonly groups: readonly string[] } {
  return { ...viewer, groups: [...new Set([...groups, 'system:authenticated'])].sort() };
}

/**
 * Returns a copy of the identity, so that later changes of `viewer` have no effect.
 *
 * @throws `RXI_INVALID_OPTION` for a viewer without an identity, or with both kinds of identity
 */
export function checkedViewer(viewer: Viewer): Viewer {
  const { token, user, groups, uid, extra } = Object(viewer) as Partial<ReviewedUser & { readonly token: string }>;
  if (isName(token) && user === undefined) return { token };
  if (isName(user) && token === undefined) return structuredClone({ user, groups, uid, extra });
  throw invalidOptionError('the viewer', undefined, '{ token } or { user, groups }, and neither may be empty');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Milliseconds without a response after which a review counts as not answered. */
const reviewTimeout = 10_000;

/** Asks the API server for the rights of viewers. All reviews share one rate. */
export class Reviewer {
  /** The reviews of rules that are running, by identity and namespace. */
  readonly #running = new Map<string, Observable<NamespaceRights>>();
  /** The reviews that wait for their turn, in order. */
  readonly #waiting = new Set<() => void>();
  #turn = Subscription.EMPTY;
  #freeAt = -Infinity;

  constructor(
    private readonly client: KubeClient,
    private readonly clientOf: ((token: string) => KubeClient) | undefined,
    private readonly reviewsPerSecond: number,
    private readonly scheduler: SchedulerLike,
  ) {}

  /** Emits whether the viewer may both list and watch. Never fails. */
  mayRead(viewer: Viewer, right: RightToRead): Observable<Right> {
    if (!('token' in viewer)) return this.#bothVerbs(this.client, right, withGroups(viewer));
    const own = this.clientOf?.(viewer.token);
    if (own === undefined) return of('denied');
    return untilUnauthorized(own, (client) => {
      if (right.namespace === '') return this.#bothVerbs(client, right);
      return this.#rulesOf(client, identityKey(viewer), right.namespace).pipe(
        switchMap((rules) => {
          if (!rules.isComplete) return this.#bothVerbs(client, right);
          return both((verb) => of(rules.right(verb, right.resource)));
        }),
      );
    });
  }

  /** Emits whether the hub itself may do something. */
  mayHub(verb: string, resource: Resource<unknown>): Observable<Right> {
    return this.#paced(reviewAccess(this.client, { verb, resource }), 'unknown' as const);
  }

  #bothVerbs(client: KubeClient, { resource, namespace }: RightToRead, user?: ReviewedUser): Observable<Right> {
    const request = { resource, ...(namespace !== '' && { namespace }) };
    return both((verb) => this.#paced(reviewAccess(client, { verb, ...request }, user), 'unknown' as const));
  }

  /** Reviews of all kinds in one namespace share one request. */
  #rulesOf(client: KubeClient, identity: string, namespace: string): Observable<NamespaceRights> {
    const key = `${namespace} ${identity}`;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const unanswered = { namespace, right: () => 'unknown' as const, isComplete: false };
    const started: Observable<NamespaceRights> = this.#paced<NamespaceRights>(
      reviewRights(client, namespace),
      unanswered,
    ).pipe(
      // Before the answer is emitted: who then asks again needs a new one.
      tap(() => this.#running.delete(key)),
      finalize(() => {
        if (this.#running.get(key) === started) this.#running.delete(key);
      }),
      share(),
    );
    this.#running.set(key, started);
    return started;
  }

  /** Waits for the next turn, then for the answer, but not longer than the timeout. */
  #paced<T>(review: Observable<T>, unanswered: T): Observable<T> {
    const timed = review.pipe(timeout({ first: reviewTimeout, scheduler: this.scheduler, with: () => of(unanswered) }));
    return new Observable((subscriber) => {
      const begin = (): void => {
        subscriber.add(timed.subscribe(subscriber));
      };
      this.#waiting.add(begin);
      // A review that is not needed any more leaves the queue.
      subscriber.add(() => this.#waiting.delete(begin));
      this.#admit();
    });
  }

  #admit(): void {
    if (!this.#turn.closed) return;
    for (const begin of this.#waiting) {
      const wait = this.#freeAt - this.scheduler.now();
      if (wait > 0) {
        this.#turn = this.scheduler.schedule(() => {
          this.#turn = Subscription.EMPTY;
          this.#admit();
        }, wait);
        return;
      }
      this.#waiting.delete(begin);
      this.#freeAt = this.scheduler.now() + 1_000 / this.reviewsPerSecond;
      begin();
    }
  }
}

/** Emits the answer for `list`, and if that is yes, for `watch`. */
function both(ask: (verb: string) => Observable<Right>): Observable<Right> {
  return ask('list').pipe(switchMap((list) => (list === 'allowed' ? ask('watch') : of(list))));
}

/** A token that the API server refuses has no rights: that is an answer. */
function untilUnauthorized(client: KubeClient, ask: (client: KubeClient) => Observable<Right>): Observable<Right> {
  return defer(() => {
    let isRefused = false;
    const error = (failure: unknown): void => {
      isRefused ||= isRxInformersError(failure, 'RXI_STATUS') && failure.statusCode === 401;
    };
    const watched = wrappedClient(client, (request) => client.exchange(request).pipe(tap({ error })));
    return ask(watched).pipe(map((right) => (isRefused ? 'denied' : right)));
  });
}

/** Returns a key for a right of an identity. */
export function rightKey(identity: string, { resource, namespace }: RightToRead): string {
  return `${namespace} ${resourceName(resource)} ${identity}`;
}
