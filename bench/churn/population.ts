import { parsedPod } from '../fixtures/held-pods.js';
import type { BenchPod } from '../fixtures/pod.js';

/** One thing that happened in the cluster; the pod is given as text, so that whoever is told parses one of his own. */
export interface ChurnEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly pod: string;
}

/** From here on, so that names have the same length for a long time. */
const FIRST_NUMBER = 1_000_000;

/** How often what happens is of which kind; of the rest, half are additions and half deletions. */
const SHARES = { update: 0.5, move: 0.2 } as const;

interface LivingPod {
  readonly number: number;
  readonly revision: number;
  /** A suffix of its node and its app; grows whenever it moves to ones that nobody had before. */
  readonly place: number;
}

/**
 * Pods that come, change, move and go, and stay equally many: what is held of them must not grow.
 *
 * Names, nodes, apps and namespaces never come back, because whatever is kept by mistake is kept under a name.
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

  /** What happens next. */
  next(): ChurnEvent {
    const chance = this.random();
    if (chance < SHARES.update) return this.#change((pod) => pod);
    if (chance < SHARES.update + SHARES.move) return this.#change((pod) => ({ ...pod, place: this.#nextPlace++ }));
    return this.#living.length > this.size ? this.#delete() : { type: 'ADDED', pod: textOf(this.#add()) };
  }

  /** All that live now, as a list gives them. */
  list(): readonly string[] {
    return this.#living.map(textOf);
  }

  /** One that lives now. */
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
