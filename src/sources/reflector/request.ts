import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeRequest } from '../client/kube-client.js';
import type { Query } from './query.js';

/** What is the same in every request of one reflector: LIST and WATCH see the same objects. */
export interface RequestTemplate {
  readonly resource: Resource<unknown>;
  /** `''`: all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Ignored by servers that do not know it, so whoever sends it filters as well. */
  readonly shardSelector: string | undefined;
  readonly metadataOnly: boolean;
}

/** Makes the HTTP request for a query; throws `ResourcePathError`, before there is any, where namespace and resource do not fit. */
export function requestBuilder(template: RequestTemplate): (query: Query) => KubeRequest {
  const { resource, namespace, labelSelector, fieldSelector, shardSelector, metadataOnly } = template;
  const path = resourcePath(resource, { namespace });
  return (query) => ({
    method: 'GET',
    path,
    query: { labelSelector, fieldSelector, shardSelector, ...parameters(query) },
    headers: { accept: acceptedType(query, metadataOnly) },
  });
}

function parameters(query: Query): Exclude<KubeRequest['query'], undefined> {
  if (query.verb === 'list') {
    const { limit, resourceVersion } = query;
    if (query.continue !== undefined) return { limit, continue: query.continue };
    // With a limit and without a match, the server lists exactly this version instead of one that is not older.
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

function acceptedType(query: Query, metadataOnly: boolean): string {
  if (!metadataOnly) return 'application/json';
  const kind = query.verb === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}
