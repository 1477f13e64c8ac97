import {
  catchError,
  concat,
  concatMap,
  defer,
  distinctUntilChanged,
  from,
  filter,
  ignoreElements,
  map,
  type Observable,
  of,
  repeat,
  share,
  switchMap,
  tap,
  timer,
} from 'rxjs';
import { resourcePath } from '../kubernetes/resource-path.js';
import type { Resource } from '../kubernetes/resource.js';
import { namespaces } from '../kubernetes/resources/everyday.js';
import { requestJson, schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import { limitedClient } from '../sources/client/limited-client.js';

/** An action whose right is reviewed. */
export interface AccessRequest {
  /** For example `list`; `*` means every verb. */
  readonly verb: string;
  readonly resource: Resource<unknown>;
  /** Default: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  /** Default: all objects. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The answer of a review. `unknown`: the API server did not say, so try it. */
export type Right = 'allowed' | 'denied' | 'unknown';

/** A user whom an authenticating proxy has identified. */
export interface ReviewedUser {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/**
 * Asks whether a user may do one thing: the user of the client (SelfSubjectAccessReview), or
 * another user (SubjectAccessReview, for which the client needs the right to create it).
 *
 * **Guarantees**: cold, one request for each subscription. It does not fail: if there is no answer,
 * the right is `unknown`.
 *
 * @param client the connection to the API server
 * @param request the action
 * @param subject the other user, with all groups. Default: the user of the client
 * @returns an Observable of one answer
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { reviewAccess } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * const mayDelete$ = reviewAccess(client, { verb: 'delete', resource: pods, namespace: 'shop' });
 * mayDelete$.subscribe((right) => console.log(right)); // allowed
 */
export function reviewAccess(client: KubeClient, request: AccessRequest, subject?: ReviewedUser): Observable<Right> {
  const { verb, resource, namespace, name, subresource } = request;
  const { group, version, plural } = resource;
  const resourceAttributes = { verb, group, version, resource: plural, namespace, name, subresource };
  const kind = subject === undefined ? 'SelfSubjectAccessReview' : 'SubjectAccessReview';
  return review<{ readonly allowed?: boolean }>(client, kind, { resourceAttributes, ...subject }).pipe(
    map((status) => (status?.allowed === undefined ? 'unknown' : status.allowed ? 'allowed' : 'denied')),
  );
}

/** The rights of the user in one namespace, and in the cluster. */
export interface NamespaceRights {
  readonly namespace: string;
  /** Returns `unknown` if the API server cannot list all rules, for example with a webhook. */
  right(verb: string, resource: Resource<unknown>): Right;
  /** False if there was no answer, or the API server cannot list all rules. */
  readonly isComplete: boolean;
}

/**
 * Asks for all rights of the user in a namespace with one request (SelfSubjectRulesReview). Rules
 * for single names do not count.
 *
 * **Guarantees**: cold, one request for each subscription. It does not fail: if there is no answer,
 * every right is `unknown`.
 *
 * @param client the connection to the API server
 * @param namespace the namespace
 * @returns an Observable of one value
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { reviewRights } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * reviewRights(client, 'shop').subscribe((rights) => console.log(rights.right('list', pods)));
 */
export function reviewRights(client: KubeClient, namespace: string): Observable<NamespaceRights> {
  return requestRules(client, namespace).pipe(map((status) => rightsOf(namespace, status)));
}

function requestRules(client: KubeClient, namespace: string): Observable<RulesStatus | undefined> {
  return review(client, 'SelfSubjectRulesReview', { namespace });
}

function rightsOf(namespace: string, status: RulesStatus | undefined): NamespaceRights {
  return {
    namespace,
    right: (verb, { group, plural }) => rightIn(status, verb, group, plural),
    isComplete: status !== undefined && !isIncomplete(status),
  };
}

interface RulesStatus {
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
  readonly resourceRules?: readonly {
    readonly verbs?: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

function rightIn(status: RulesStatus | undefined, verb: string, group: string, plural: string): Right {
  const has = (values: readonly string[] = [], value: string): boolean =>
    values.includes('*') || values.includes(value);
  const isAllowed = status?.resourceRules?.some(
    ({ verbs, apiGroups, resources, resourceNames = [] }) =>
      resourceNames.length === 0 && has(verbs, verb) && has(apiGroups, group) && has(resources, plural),
  );
  if (isAllowed === true) return 'allowed';
  return isAllowed === undefined || isIncomplete(status) ? 'unknown' : 'denied';
}

/** The node authorizer never lists its rules, and it only knows nodes. */
function isIncomplete({ incomplete, evaluationError = '' }: RulesStatus = {}): boolean {
  return incomplete === true && !/^node authorizer does not support user rule resolution$/.test(evaluationError);
}

function review<Status>(client: KubeClient, kind: string, spec: object): Observable<Status | undefined> {
  const path = `/apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`;
  const body = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind, spec });
  return requestJson<{ readonly status?: Status } | null>(client, { method: 'POST', path, body }).pipe(
    map((answer) => answer?.status),
    catchError(() => of(undefined)),
  );
}

/** Options of {@link namespaceRights$}. */
export interface NamespaceRightsOptions {
  /**
   * The namespaces to review if the user may not list namespaces. The namespace of the client's
   * context is always one of them. Default `[]`.
   */
  readonly candidates?: readonly string[] | undefined;
  /** Milliseconds from the end of one pass over all namespaces to the next. Default 15,000. */
  readonly interval?: number | undefined;
}

/** The rights of each namespace that was reviewed, by namespace, and whether a pass is complete. */
export interface ReviewedNamespaces {
  readonly rights: ReadonlyMap<string, NamespaceRights>;
  readonly isComplete: boolean;
}

/** Requests per second. A pass over 200 namespaces takes 40 seconds. */
const reviewsPerSecond = 5;

/**
 * Emits the rights of the user in each namespace, and emits again when namespaces are reviewed
 * again. Pass it to {@link readableNamespaces} for several kinds, which then share one pass.
 *
 * The namespaces are all of the cluster if the user may list them, otherwise `candidates` and the
 * namespace of the client's context.
 *
 * **Guarantees**: at most 5 requests a second. Subscribers share the requests. A namespace whose
 * review gets no answer keeps its rights. It does not fail.
 *
 * @param client the connection to the API server
 * @param options the namespaces, and how often; see {@link NamespaceRightsOptions}
 * @returns an Observable that does not complete
 * @example
 * import { configMaps, inNamespaces, informer, pods, type KubeClient } from 'rx-informers';
 * import { namespaceRights$, readableNamespaces } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * const rights$ = namespaceRights$(client, { candidates: ['shop', 'blog'] });
 * for (const kind of [pods, configMaps] as const) {
 *   informer(client, kind, { namespace: inNamespaces(readableNamespaces(client, kind, rights$)) });
 * }
 */
export function namespaceRights$(
  client: KubeClient,
  { candidates = [], interval = 15_000 }: NamespaceRightsOptions = {},
): Observable<ReviewedNamespaces> {
  const slow = limitedClient(client, { qps: reviewsPerSecond, burst: 1 });
  const own = [...new Set([...(client.namespace ? [client.namespace] : []), ...candidates])];
  return defer(() => {
    const rights = new Map<string, NamespaceRights>();
    let isComplete = false;
    const pass = namesToReview(slow, own).pipe(
      tap((names) => [...rights.keys()].filter((name) => !names.includes(name)).forEach((name) => rights.delete(name))),
      concatMap((names) => from(names)),
      concatMap((name) => requestRules(slow, name).pipe(map((status) => [name, status] as const))),
      map(([name, status]) => {
        if (status !== undefined || !rights.has(name)) rights.set(name, rightsOf(name, status));
      }),
    );
    const end = defer(() => of((isComplete = true)));
    return concat(pass, end).pipe(
      map((): ReviewedNamespaces => ({ rights: new Map(rights), isComplete })),
      repeat({ delay: () => timer(interval, schedulerOf(client)) }),
    );
  }).pipe(share());
}

/** Emits the names of all namespaces if the user may list them, otherwise `own`. */
function namesToReview(client: KubeClient, own: readonly string[]): Observable<readonly string[]> {
  return reviewAccess(client, { verb: 'list', resource: namespaces }).pipe(
    switchMap((right) => (right === 'allowed' ? requestNames(client) : of(own))),
    catchError(() => of(own)),
  );
}

function requestNames(client: KubeClient): Observable<readonly string[]> {
  return requestJson<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>(client, {
    method: 'GET',
    path: resourcePath(namespaces),
    headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' },
  }).pipe(map(({ items }) => items.map(({ metadata }) => metadata.name)));
}

/**
 * Emits the namespaces in which the user may list and watch a resource, and emits again when rights
 * are granted or withdrawn: for {@link inNamespaces}, so that a user with rights in a few
 * namespaces gets their objects instead of 403.
 *
 * If the user may read the resource in all namespaces, it emits `['']`, which stands for all of
 * them, so that one watch is enough.
 *
 * An open watch is not authorized again by the API server. So a right that was withdrawn is found
 * by the next review, and `inNamespaces` then removes the objects of that namespace.
 *
 * **Guarantees**: a change is found within a minute with up to 200 namespaces; see
 * {@link namespaceRights$} for the requests; each kind adds at most 5 a second. If the API server
 * cannot list all rules, each namespace costs one or two requests more (SelfSubjectAccessReview).
 * It does not fail. Emits only if the namespaces change; the first time when the first namespace is
 * found, or the first pass has found none.
 *
 * @param client the connection to the API server
 * @param resource the kind to read
 * @param rights$ the rights; pass the same Observable for several kinds, so that they share it
 * @returns an Observable that does not complete
 * @example
 * import { inNamespaces, informer, pods, type KubeClient } from 'rx-informers';
 * import { readableNamespaces } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * const readable$ = readableNamespaces(client, pods);
 * informer(client, pods, { namespace: inNamespaces(readable$) }).list$().subscribe(console.log);
 */
export function readableNamespaces(
  client: KubeClient,
  resource: Resource<unknown>,
  rights$: Observable<ReviewedNamespaces> = namespaceRights$(client),
): Observable<readonly string[]> {
  const slow = limitedClient(client, { qps: reviewsPerSecond, burst: 1 });
  const everywhere$ = readRight((verb) => reviewAccess(slow, { verb, resource })).pipe(
    repeat({ delay: () => timer(reviewAgain, schedulerOf(client)) }),
    map((right) => right === 'allowed'),
    distinctUntilChanged(),
  );
  /** Asks for one right if the API server could not list all rules. */
  const ask = (rights: NamespaceRights, verb: string): Observable<Right> => {
    const right = rights.right(verb, resource);
    return right === 'unknown' ? reviewAccess(slow, { verb, resource, namespace: rights.namespace }) : of(right);
  };
  const somewhere$ = defer(() => {
    const answered = new Map<string, { readonly rights: NamespaceRights; readonly isReadable: boolean }>();
    return rights$.pipe(
      concatMap(({ rights, isComplete }) => {
        for (const name of answered.keys()) if (!rights.has(name)) answered.delete(name);
        const fresh = [...rights.values()].filter((each) => answered.get(each.namespace)?.rights !== each);
        const answers = from(fresh).pipe(
          concatMap((each) => readRight((verb) => ask(each, verb)).pipe(map((right) => [each, right] as const))),
          tap(([each, right]) => {
            const { isReadable = true } = answered.get(each.namespace) ?? {};
            answered.set(each.namespace, {
              rights: each,
              isReadable: right === 'unknown' ? isReadable : right === 'allowed',
            });
          }),
          ignoreElements(),
        );
        const readable = (): readonly string[] =>
          [...answered].flatMap(([name, { isReadable }]) => (isReadable ? [name] : [])).sort();
        return concat(
          answers,
          defer(() => of({ names: readable(), isComplete })),
        );
      }),
      filter(({ names, isComplete }) => isComplete || names.length > 0),
      map(({ names }) => names),
    );
  });
  return everywhere$.pipe(
    switchMap((isEverywhere) => (isEverywhere ? of(['']) : somewhere$)),
    distinctUntilChanged((before, now) => before.join() === now.join()),
  );
}

/** Milliseconds after which the right to read all namespaces is reviewed again. */
const reviewAgain = 30_000;

/** Emits whether both verbs of an informer are allowed. */
function readRight(ask: (verb: string) => Observable<Right>): Observable<Right> {
  return ask('list').pipe(switchMap((list) => (list === 'denied' ? of(list) : ask('watch'))));
}
