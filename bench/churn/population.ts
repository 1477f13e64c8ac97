import type { BenchPod } from '../fixtures/pod.js';
import { parsedPod } from '../fixtures/retained-pods.js';

/** One event in the cluster. The pod is a JSON text, so that each receiver parses its own copy. */
export interface ChurnEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: string;
}

/** The number of the first pod. It is large, so that names keep the same length for a long time. */
const FIRST_NUMBER = 1_000_000;

/**
 * The share of updates and of moves. Half of the remaining events are additions, half are
 * deletions.
 */
const SHARES = { update: 0.5, move: 0.2 } as const;

interface LivingPod {
  readonly number: number;
  readonly revision: number;
  /** A suffix of the pod's node and app. It grows when the pod moves to a new node and app. */
  readonly place: number;
}

/**
 * A constant number of pods that are added, updated, moved and deleted. The memory of a cache of
 * these pods must not grow.
 *
 * Names, nodes, apps and namespaces are never used again. A leak keeps objects under their old
 * names, and a name that is used again could hide it.
 */
export class Population {
  readonly #living: LivingPod[] = [];
  #nextNumber = FIRST_NUMBER;
  #nextPlace = FIRST_NUMBER;

  constructor(
    private readonly size: number,
    private readonly random: () => number,
  ) {
    while (this.#living.length < size) this.#add();
  }

  /** Returns the next event. */
  next(): ChurnEvent {
    const chance = this.random();
    if (chance < SHARES.update) return this.#change((pod) => pod);
    if (chance < SHARES.update + SHARES.move) return this.#change((pod) => ({ ...pod, place: this.#nextPlace++ }));
    return this.#living.length > this.size ? this.#delete() : { type: 'ADDED', pod: textOf(this.#add()) };
  }

  /** Returns all current pods, as a list returns them. */
  list(): readonly string[] {
    return this.#living.map(textOf);
  }

  /** Returns a random current pod. */
  anyone(): BenchPod {
    return podOf(this.#living[this.#anyPosition()] as LivingPod);
  }

  #add(): LivingPod {
    const pod = { number: this.#nextNumber++, revision: 0, place: FIRST_NUMBER };
    this.#living.push(pod);
    return pod;
  }

  #change(changed: (pod: LivingPod) => LivingPod): ChurnEvent {
    const position = this.#anyPosition();
    const before = this.#living[position] as LivingPod;
    const pod = changed({ ...before, revision: before.revision + 1 });
    this.#living[position] = pod;
    return { type: 'MODIFIED', pod: textOf(pod) };
  }

  #delete(): ChurnEvent {
    const position = this.#anyPosition();
    const pod = this.#living[position] as LivingPod;
    const last = this.#living.pop() as LivingPod;
    if (last !== pod) this.#living[position] = last;
    return { type: 'DELETED', pod: textOf(pod) };
  }

  #anyPosition(): number {
    return Math.floor(this.random() * this.#living.length);
  }
}

function podOf({ number, revision, place }: LivingPod): BenchPod {
  const pod = parsedPod(number, revision);
  pod.spec.nodeName = `${pod.spec.nodeName}-${place}`;
  pod.metadata.labels.app = `${pod.metadata.labels.app}-${place}`;
  return pod;
}

function textOf(pod: LivingPod): string {
  return JSON.stringify(podOf(pod));
}
