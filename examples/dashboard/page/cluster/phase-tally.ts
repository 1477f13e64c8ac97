import type { ChangeSet, Pod } from 'rx-informers';
import { podPhase, type PodPhase } from '../model/pod-phase.js';
import type { PhaseCounts } from '../model/phase-counts.js';

/** How many pods are in each phase, kept from changes: nothing is counted twice. */
export class PhaseTally {
  readonly #phaseOf = new Map<string, PodPhase>();
  #counts: Partial<Record<PodPhase, number>> = {};

  /** The same object until something else is counted. */
  get counts(): PhaseCounts {
    return this.#counts;
  }

  phaseOf(key: string): PodPhase | undefined {
    return this.#phaseOf.get(key);
  }

  apply({ reason, changes }: ChangeSet<Pod>): void {
    if (reason === 'initial') this.#clear();
    const counts = { ...this.#counts };
    let isOther = false;
    for (const change of changes) {
      const before = this.#phaseOf.get(change.key);
      const after = change.type === 'deleted' ? undefined : podPhase(change.object);
      if (before === after) continue;
      isOther = true;
      if (before !== undefined) counts[before] = (counts[before] ?? 0) - 1;
      if (after === undefined) {
        this.#phaseOf.delete(change.key);
      } else {
        counts[after] = (counts[after] ?? 0) + 1;
        this.#phaseOf.set(change.key, after);
      }
    }
    if (isOther) this.#counts = counts;
  }

  #clear(): void {
    this.#phaseOf.clear();
    this.#counts = {};
  }
}
