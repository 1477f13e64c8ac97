import type { ChangeSet } from '../../store/change.js';
import type { ConformanceObject } from './conformance-object.js';

/** `a:1`, or `a` where there is no version. */
export function textOf(pod: ConformanceObject): string {
  const { name, resourceVersion } = pod.metadata;
  return resourceVersion === undefined ? name : `${name}:${resourceVersion}`;
}

/** `a:1 b:1`, and `nothing` for an empty list: what a marble test shows when it fails. */
export function textOfAll(pods: readonly ConformanceObject[]): string {
  return pods.length === 0 ? 'nothing' : pods.map(textOf).join(' ');
}

/** `watch +b:1 a:1→a:2 -c:3 †d:1`: added, updated, deleted, and deleted as a tombstone. */
export function textOfChanges({ reason, changes }: ChangeSet<ConformanceObject>): string {
  const words = changes.map((change) => {
    switch (change.type) {
      case 'added':
        return `+${textOf(change.object)}`;
      case 'updated':
        return `${textOf(change.previous)}→${textOf(change.object)}`;
      case 'deleted':
        return `${change.finalStateUnknown ? '†' : '-'}${textOf(change.object)}`;
    }
  });
  return [reason, ...words].join(' ');
}
