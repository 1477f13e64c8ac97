import type { KubernetesObject, Resource } from 'rx-informers';

export interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
}

export const pods: Resource<Pod> = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

/** `a@5` is the pod a at version 5 (default 1), in namespace `web`. */
export function aPod(spelled: string): Pod {
  const [name = '', resourceVersion = '1'] = spelled.split('@');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'web', uid: `uid-${name}`, resourceVersion },
  };
}

/** What `aPod` spells, for reading. */
export function spell(object: Pod): string {
  return `${object.metadata?.name}@${object.metadata?.resourceVersion}`;
}

export function podList(resourceVersion: string | undefined, names: readonly string[], metadata: object = {}): string {
  const items = names.map((name) => ({ ...aPod(name), kind: undefined, apiVersion: undefined }));
  return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion, ...metadata }, items });
}

export function line(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export const added = (pod: string): string => line('ADDED', aPod(pod));
export const modified = (pod: string): string => line('MODIFIED', aPod(pod));
export const deleted = (pod: string): string => line('DELETED', aPod(pod));

export function bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): string {
  return line('BOOKMARK', { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion, annotations } });
}

export function endBookmark(resourceVersion: string): string {
  return bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' });
}

export function errorLine(code: number, status: object = {}): string {
  return line('ERROR', { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...status });
}
