import {
  catchError,
  concat,
  concatMap,
  debounceTime,
  defer,
  distinctUntilChanged,
  EMPTY,
  filter,
  forkJoin,
  map,
  merge,
  type Observable,
  of,
  switchMap,
  throwError,
  timer,
} from 'rxjs';
import type { KubernetesObject } from '../kubernetes/object.js';
import { groupVersionPath } from '../kubernetes/resource-path.js';
import { resource, type GroupVersion, type Resource } from '../kubernetes/resource.js';
import { customResourceDefinitions } from '../kubernetes/resources/everyday.js';
import { apiServices } from '../kubernetes/resources/other.js';
import { requestJson, schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import { listWatch } from '../sources/list-watch.js';
import { responseError } from '../sources/model/errors.js';

/** A kind that the API server serves, and that can be listed and watched. */
export interface ServedKind {
  /** The kind, in the version that its group prefers. */
  readonly resource: Resource<KubernetesObject>;
  /** Short names for kubectl, for example `po`. */
  readonly shortNames: readonly string[];
  /** What can be done with its objects, for example `create`; it has `list` and `watch`. */
  readonly verbs: readonly string[];
}

/** The kinds that the API server serves. */
export interface Discovery {
  readonly kinds: readonly ServedKind[];
  /**
   * The groups that do not respond, for example because an aggregated API server is down. Their
   * kinds are those that were served last.
   */
  readonly unavailable: readonly string[];
}

/** Options of {@link discover$}. */
export interface DiscoverOptions {
  /** The milliseconds after which the kinds are requested again in any case. Default 600,000. */
  readonly interval?: number | undefined;
}

/** Milliseconds without a change of definitions, after which the kinds are requested again. */
const settled = 1_000;

/**
 * Emits the kinds that the API server serves and that can be listed and watched, and emits again
 * when they change.
 *
 * This takes two requests if the API server has aggregated discovery (Kubernetes 1.27 and later),
 * otherwise one more for each version of each group. CustomResourceDefinitions and APIServices are
 * watched, so that a new kind is found within seconds. Without the right to watch them, it is found
 * after `interval`. Watches are opened after the first value, so one value costs no watch.
 *
 * **Guarantees**: each kind occurs once, in the preferred version that has it. A group that does
 * not respond keeps its kinds. Emits only if something has changed. Unsubscribing ends all requests
 * (G8). **Errors**: those of the first requests, `RXI_RESPONSE` if the response has no kinds. After
 * the first value there are no errors: what fails is requested again.
 *
 * @param client the connection to the API server
 * @param options how often the kinds are requested again; see {@link DiscoverOptions}
 * @returns an Observable that does not complete; for one value, use `firstValueFrom`
 * @example
 * import type { KubeClient } from 'rx-informers';
 * import { discover$ } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * discover$(client).subscribe(({ kinds }) => {
 *   console.log(kinds.map(({ resource }) => `${resource.plural}.${resource.group}`).join('\n'));
 * });
 */
export function discover$(client: KubeClient, { interval = 600_000 }: DiscoverOptions = {}): Observable<Discovery> {
  const scheduler = schedulerOf(client);
  const definitions$ = merge(
    listWatch(client, customResourceDefinitions, { metadataOnly: true }),
    listWatch(client, apiServices, { metadataOnly: true }),
  ).pipe(
    filter((events) => events.some(({ type }) => ['ADDED', 'MODIFIED', 'DELETED', 'LISTED'].includes(type))),
    debounceTime(settled, scheduler),
  );
  return defer(() => {
    let last: Discovery | undefined;
    const kinds$ = requestKinds(client).pipe(map((now) => (last = withLastKinds(now, last))));
    const again$ = merge(definitions$, timer(interval, interval, scheduler)).pipe(
      concatMap(() => kinds$.pipe(catchError(() => EMPTY))),
    );
    return concat(kinds$, again$).pipe(
      distinctUntilChanged((before, now) => JSON.stringify(before) === JSON.stringify(now)),
    );
  });
}

/** Adds the last kinds of the groups that do not respond. */
function withLastKinds(now: Discovery, last: Discovery | undefined): Discovery {
  const isDown = ({ resource: { group } }: ServedKind): boolean => now.unavailable.includes(group);
  const kept = (last?.kinds ?? []).filter(
    (kind) => isDown(kind) && !now.kinds.some(({ resource: { group } }) => group === kind.resource.group),
  );
  return { ...now, kinds: [...now.kinds, ...kept] };
}

/** The kinds of one version of a group. They come in the order that the group prefers. */
interface Part extends GroupVersion {
  /** `undefined` if they must be requested. */
  readonly served?: readonly Served[];
  readonly isDown?: boolean;
}

interface Served {
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

const aggregated = ['v2', 'v2beta1'].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
);
const accept = [...aggregated, 'application/json'].join(',');

function requestKinds(client: KubeClient): Observable<Discovery> {
  const get = (path: string): Observable<unknown> => requestJson(client, { method: 'GET', path, headers: { accept } });
  const complete = (part: Part): Observable<Part> =>
    part.served !== undefined
      ? of(part)
      : get(groupVersionPath(part)).pipe(
          map((document) => ({ ...part, served: listOf(document, 'resources').map(servedResource) })),
          catchError(() => of({ ...part, isDown: true })),
        );
  return forkJoin(['/api', '/apis'].map(get)).pipe(
    map((documents) => documents.flatMap(partsOf)),
    switchMap((parts) =>
      parts.length > 0
        ? forkJoin(parts.map(complete))
        : throwError(() => responseError({ method: 'GET', url: '/apis' }, 'the response names no kinds')),
    ),
    map((parts) => ({
      kinds: kindsOf(parts),
      unavailable: [...new Set(parts.filter(({ isDown }) => isDown === true).map(({ group }) => group))],
    })),
  );
}

/** Reads an `APIGroupDiscoveryList`, `APIVersions` or `APIGroupList`; others have no parts. */
function partsOf(document: unknown): readonly Part[] {
  const core = listOf(document, 'versions').filter((version) => typeof version === 'string');
  if (core.length > 0) return core.map((version) => ({ group: '', version }));
  const groups = listOf(document, 'groups').flatMap((group) =>
    listOf(group, 'versions').map((each) => ({ group: textOf(group, 'name'), version: textOf(each, 'version') })),
  );
  const items = listOf(document, 'items').flatMap((item) =>
    listOf(item, 'versions').map((each) => {
      const served = listOf(each, 'resources').map(aggregatedResource);
      return {
        group: textOf(fieldOf(item, 'metadata'), 'name'),
        version: textOf(each, 'version'),
        served,
        isDown: served.length === 0 && fieldOf(each, 'freshness') === 'Stale',
      };
    }),
  );
  return [...groups, ...items].filter(({ version }) => version !== '');
}

/** Takes each kind in the first version that has it. */
function kindsOf(parts: readonly Part[]): readonly ServedKind[] {
  const known = new Set<string>();
  return parts.flatMap(({ group, version, served = [] }) =>
    served.flatMap(({ plural, kind, namespaced, verbs, shortNames }) => {
      const name = `${plural}.${group}`;
      if (known.has(name) || plural.includes('/') || !verbs.includes('list') || !verbs.includes('watch')) return [];
      known.add(name);
      try {
        return [{ resource: resource({ group, version, plural, kind, namespaced }), verbs, shortNames }];
      } catch {
        // A resource without a valid path cannot be read.
        return [];
      }
    }),
  );
}

function servedResource(each: unknown): Served {
  return {
    plural: textOf(each, 'name'),
    kind: textOf(each, 'kind'),
    namespaced: fieldOf(each, 'namespaced') === true,
    verbs: textsOf(each, 'verbs'),
    shortNames: textsOf(each, 'shortNames'),
  };
}

function aggregatedResource(each: unknown): Served {
  return {
    plural: textOf(each, 'resource'),
    kind: textOf(fieldOf(each, 'responseKind'), 'kind'),
    namespaced: fieldOf(each, 'scope') === 'Namespaced',
    verbs: textsOf(each, 'verbs'),
    shortNames: textsOf(each, 'shortNames'),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = fieldOf(value, name);
  return Array.isArray(list) ? list : [];
}

function textOf(value: unknown, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : '';
}

function textsOf(value: unknown, name: string): readonly string[] {
  return listOf(value, name).filter((each) => typeof each === 'string');
}
