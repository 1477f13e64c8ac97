import { resource as describe, StatusError, type KubeClient, type KubernetesObject } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { requestJson, resourceClient } from 'rx-informers/requests';
import { catchError, throwError, type Observable } from 'rxjs';
import type { Opened } from '../address/page-address.js';

/** A change that the user can request. */
export type Write =
  | { readonly type: 'scale'; readonly replicas: number }
  | { readonly type: 'restart'; readonly at: string }
  | { readonly type: 'cordon'; readonly isCordoned: boolean }
  | { readonly type: 'delete'; readonly uid: string | undefined; readonly at: string }
  | { readonly type: 'replace'; readonly object: KubernetesObject; readonly isDryRun: boolean };

/** A write that the page offers for a resource, and the permission that it needs. */
export interface Offer {
  readonly type: Write['type'];
  readonly verb: string;
  readonly subresource?: string;
}

const scalable: ReadonlySet<string> = new Set(['apps/v1/deployments', 'apps/v1/replicasets', 'apps/v1/statefulsets']);
const restartable: ReadonlySet<string> = new Set(['apps/v1/deployments', 'apps/v1/statefulsets', 'apps/v1/daemonsets']);

/**
 * Returns the writes of a resource, before permissions are checked. Secrets have none, because the
 * page does not have their content.
 */
export function offersOf(resource: string): readonly Offer[] {
  if (resource === 'v1/secrets') return [];
  return [
    ...(scalable.has(resource) ? [{ type: 'scale', verb: 'patch', subresource: 'scale' } as const] : []),
    ...(restartable.has(resource) ? [{ type: 'restart', verb: 'patch' } as const] : []),
    ...(resource === 'v1/nodes' ? [{ type: 'cordon', verb: 'patch' } as const] : []),
    { type: 'replace', verb: 'update' },
    { type: 'delete', verb: 'delete' },
  ];
}

/** The metadata of an object that may be terminating. */
export interface Deletable {
  readonly resourceVersion?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
}

interface Writable extends KubernetesObject {
  readonly spec?: {
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
  readonly status?: unknown;
}

/**
 * Returns the expected effect of a write on an object, before the API server has answered. Shows a
 * deleted object as terminating: only the answer tells whether it is deleted at once.
 */
export function changeOf(write: Write): (object: KubernetesObject) => KubernetesObject {
  const changed = (object: Writable): Writable => {
    const { metadata, spec } = object;
    switch (write.type) {
      case 'scale':
        return withSpec(object, { replicas: write.replicas });
      case 'restart': {
        const template = spec?.template;
        const annotations = { ...template?.metadata?.annotations, 'kubectl.kubernetes.io/restartedAt': write.at };
        return withSpec(object, { template: { ...template, metadata: { ...template?.metadata, annotations } } });
      }
      case 'cordon':
        return withSpec(object, { unschedulable: write.isCordoned ? true : undefined });
      case 'delete': {
        const { deletionTimestamp = write.at }: Deletable = metadata ?? {};
        return { ...object, metadata: Object.assign({ ...metadata }, { deletionTimestamp }) };
      }
      case 'replace': {
        const { managedFields: _, ...edited } = (write.object.metadata ?? {}) as Record<string, unknown>;
        const { uid, resourceVersion } = metadata ?? {};
        const { status } = object;
        return {
          ...write.object,
          metadata: { ...edited, uid, resourceVersion },
          ...(status !== undefined && { status }),
        };
      }
    }
  };
  return changed;
}

function withSpec(object: Writable, fields: object): Writable {
  return { ...object, spec: { ...object.spec, ...fields } };
}

/** Returns the resource, namespace and name of the opened object, as a request path needs them. */
export function targetOf({ resource, key }: Opened) {
  const [plural = '', version = '', group = ''] = resource.split('/').reverse();
  const slash = key.indexOf('/');
  return {
    resource: describe<KubernetesObject>({ group, version, plural, namespaced: slash !== -1 }),
    namespace: slash === -1 ? undefined : key.slice(0, slash),
    name: key.slice(slash + 1),
  };
}

/**
 * Sends a write and emits the answer of the API server. The messages of its errors say what to do.
 */
export function send(client: KubeClient, opened: Opened, write: Write): Observable<KubernetesObject> {
  const { resource, ...place } = targetOf(opened);
  const target = { metadata: place };
  const objects = resourceClient(client, resource);
  // An edited object may have another name, so the path is that of the opened object. The answer to
  // a deletion tells whether the object still exists.
  const request = (method: 'DELETE' | 'PUT', body: object, query = {}): Observable<KubernetesObject> =>
    requestJson(client, { method, path: resourcePath(resource, place), query, body: JSON.stringify(body) });
  return sent().pipe(catchError((error: unknown) => throwError(() => new Error(wordsOf(error), { cause: error }))));

  function sent(): Observable<KubernetesObject> {
    switch (write.type) {
      case 'scale':
        return objects.patch(target, { spec: { replicas: write.replicas } }, { subresource: 'scale' });
      case 'restart': {
        const annotations = { 'kubectl.kubernetes.io/restartedAt': write.at };
        return objects.patch(target, { spec: { template: { metadata: { annotations } } } });
      }
      case 'cordon':
        return objects.patch(target, { spec: { unschedulable: write.isCordoned ? true : null } });
      case 'delete': {
        // Another object may have this name by now.
        const preconditions = write.uid === undefined ? {} : { preconditions: { uid: write.uid } };
        const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
        return request('DELETE', { ...options, ...preconditions });
      }
      case 'replace':
        return request('PUT', write.object, write.isDryRun ? { dryRun: 'All' } : {});
    }
  }
}

function wordsOf(error: unknown): string {
  if (!(error instanceof StatusError)) return error instanceof Error ? error.message : String(error);
  const message = error.status.message ?? error.message;
  switch (error.statusCode) {
    case 403:
      return `No permission: ${message}`;
    case 404:
      return 'The object no longer exists.';
    case 409:
      return 'The object has changed in the meantime. Review it, then repeat the change.';
    default:
      return message;
  }
}
