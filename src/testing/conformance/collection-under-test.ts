import type { Collection } from '../../collections/collection.js';
import type { ChangeSet } from '../../store/change.js';

/** An empty collection that has not synced, and its changes: one commit per call. */
export interface CollectionUnderTest {
  /** The collection. Its index `node` has the values of `spec.nodeName`. */
  readonly collection: Collection<ConformanceObject, 'node'>;
  readonly replace: (objects: readonly ConformanceObject[]) => void;
  readonly upsert: (object: ConformanceObject) => void;
  readonly remove: (object: ConformanceObject) => void;
}

/** The objects that the collection suite stores: the fields of a pod that the suite reads. */
export interface ConformanceObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
}

/** Returns an object with a name, a version and a node. */
export function conformanceObject(name: string, version: number, node = 'n1'): ConformanceObject {
  return {
    metadata: { name, uid: `uid-${name}`, resourceVersion: String(version), labels: { app: 'x' } },
    spec: { nodeName: node },
  };
}

/** Returns `a@1`, or `a` for an object without a version. */
export function podText(pod: ConformanceObject): string {
  const { name, resourceVersion } = pod.metadata;
  return resourceVersion === undefined ? name : `${name}@${resourceVersion}`;
}

/** Returns `a@1 b@1`, or `nothing` for an empty list. */
export function textOfAll(pods: readonly ConformanceObject[]): string {
  return pods.length === 0 ? 'nothing' : pods.map(podText).join(' ');
}

/** Returns for example `watch: added b@1, updated a@1→a@2, deleted c@3, tombstone d@1`. */
export function textOfChanges({ reason, changes }: ChangeSet<ConformanceObject>): string {
  const words = changes.map((change) => {
    switch (change.type) {
      case 'added':
        return `added ${podText(change.object)}`;
      case 'updated':
        return `updated ${podText(change.previous)}→${podText(change.object)}`;
      case 'deleted':
        return `${change.finalStateUnknown ? 'tombstone' : 'deleted'} ${podText(change.object)}`;
    }
  });
  return words.length === 0 ? reason : `${reason}: ${words.join(', ')}`;
}
