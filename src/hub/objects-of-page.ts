import { resourceVersionOf, type KubernetesObject } from '../kubernetes/object.js';
import type { Change } from '../store/change.js';
import type { ObjectVersion } from './hub-messages.js';
import type { Scope } from './scope.js';

/** The objects that a page has from a position that the hub does not know. */
export class ObjectsOfPage {
  readonly #versions = new Map<string, string>();

  /** @param most the number of objects that are kept; a page with more receives everything */
  constructor(private readonly most: number) {}

  get hasAll(): boolean {
    return this.#versions.size <= this.most;
  }

  add(objects: readonly ObjectVersion[]): void {
    for (const [key, version] of objects) if (this.hasAll) this.#versions.set(key, version);
  }

  /** Returns the changes from what the page has to the objects of its scope. */
  changesTo(objects: ReadonlyMap<string, KubernetesObject>, scope: Scope): readonly Change<KubernetesObject>[] {
    const gone = new Set(this.#versions.keys());
    const changes: Change<KubernetesObject>[] = [];
    for (const [key, object] of objects) {
      if (!scope(object)) continue;
      gone.delete(key);
      if (this.#versions.get(key) !== resourceVersionOf(object)) changes.push({ type: 'added', key, object });
    }
    for (const key of gone) changes.push({ type: 'deleted', key, object: { metadata: {} }, finalStateUnknown: true });
    return changes;
  }
}
