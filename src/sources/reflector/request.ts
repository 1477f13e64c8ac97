import { catchError, map, type Observable, of, ReplaySubject, type SchedulerLike, share, timeout } from 'rxjs';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { recordOf } from '../client/client-record.js';
import { type KubeClient, type KubeRequest, requestJson } from '../client/kube-client.js';
import { timeouts } from './alarm.js';
import type { RequestQuery } from './protocol.js';

/** Records whether streaming lists of one API group work for one client. */
export interface StreamSupport {
  isRefused(): boolean;
  /** Records that the server of this group does not support streaming lists. */
  refuse(): void;
}

/**
 * Returns the `StreamSupport` that all sources of `client` and `group` share, as long as the client
 * exists. An aggregated API server may support less than others (R26 ▲).
 */
export function streamSupport(client: KubeClient, group: string): StreamSupport {
  const { groupsWithoutStreams } = recordOf(client);
  return {
    isRefused: () => groupsWithoutStreams.has(group),
    refuse: () => {
      groupsWithoutStreams.add(group);
    },
  };
}

/**
 * Requests the version of the server, or uses one that was requested after `since`. Emits `''` if
 * the answer has none, `undefined` if there was no answer, and completes.
 */
export type VersionProbe = (since: number) => Observable<string | undefined>;

/**
 * Returns a probe that sources of `client` and the group share: a list of one object without a
 * version, which etcd answers. Events are apart: many clusters keep them in another etcd.
 */
export function versionProbe(
  client: KubeClient,
  resource: Resource<unknown>,
  namespace: string,
  scheduler: SchedulerLike,
): VersionProbe {
  const { group, plural } = resource;
  const storage = plural === 'events' ? `${group}/events` : group;
  const requestFor = requestBuilder({
    resource,
    namespace,
    labelSelector: undefined,
    fieldSelector: undefined,
    metadataOnly: true,
    omitsManagedFields: false,
  });
  const request = requestFor({ verb: 'list', resourceVersion: '', limit: 1 });
  const { requestedVersions } = recordOf(client);

  return (since) => {
    const known = requestedVersions.get(storage);
    if (known !== undefined && known.at > since) return known.version$;
    const version$ = requestJson<ListAnswer | null>(client, request).pipe(
      timeout({ each: timeouts.open, scheduler }),
      map((answer) => answer?.metadata?.resourceVersion ?? ''),
      catchError(() => {
        requestedVersions.delete(storage);
        return of(undefined);
      }),
      share({ connector: () => new ReplaySubject(1), resetOnComplete: false }),
    );
    requestedVersions.set(storage, { at: scheduler.now(), version$ });
    return version$;
  };
}

interface ListAnswer {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** The parts that LIST and WATCH of a reflector share, so that both see the same objects. */
export interface RequestTemplate {
  readonly resource: Resource<unknown>;
  /** The namespace; `''` for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly: boolean;
  /** Asks the server to omit `managedFields` (KEP-5958). Older servers still send these fields. */
  readonly omitsManagedFields: boolean;
}

/**
 * Returns a function that makes the HTTP request for a query. Throws `RXI_RESOURCE_PATH` at once if
 * namespace and resource do not fit.
 */
export function requestBuilder(template: RequestTemplate): (query: RequestQuery) => KubeRequest {
  const { resource, namespace, labelSelector, fieldSelector } = template;
  const path = resourcePath(resource, { namespace });
  return (query) => ({
    method: 'GET',
    path,
    query: { labelSelector, fieldSelector, ...parameters(query) },
    headers: { accept: acceptedTypes(query, template) },
  });
}

/** Returns true for a list before the source has seen a version. */
export function isFirstList(query: RequestQuery): boolean {
  const isFirst = query.resourceVersion === '' || query.resourceVersion === '0';
  return isFirst && (query.verb === 'list' ? query.continue === undefined : query.sendInitialEvents);
}

function parameters(query: RequestQuery): Exclude<KubeRequest['query'], undefined> {
  if (query.verb === 'list') {
    const { limit, resourceVersion } = query;
    if (query.continue !== undefined) return { limit, continue: query.continue };
    // Without `resourceVersionMatch`, a list with a limit returns exactly this version. With
    // `NotOlderThan`, the server may return a newer version.
    const isLimitedAtVersion = limit !== undefined && resourceVersion !== '' && resourceVersion !== '0';
    return {
      limit,
      resourceVersion: resourceVersion || undefined,
      ...(isLimitedAtVersion && { resourceVersionMatch: 'NotOlderThan' }),
    };
  }
  return {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds: query.timeoutSeconds,
    resourceVersion: query.resourceVersion || undefined,
    ...(query.sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
  };
}

/** Returns `Accept`, below 128 bytes: a longer one makes a browser send a CORS preflight. */
function acceptedTypes(query: RequestQuery, { metadataOnly, omitsManagedFields }: RequestTemplate): string {
  const kind = query.verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const as = metadataOnly ? `;as=${kind};g=meta.k8s.io;v=v1` : '';
  const drop = omitsManagedFields ? ';drop=metadata.managedFields' : '';
  return as + drop === '' ? json : `${json}${as}${drop},${json}`;
}

const json = 'application/json';
