import type { Script } from './pod-scripts.js';

interface Appointment {
  readonly at: number;
  readonly script: Script;
}

/** Holds scripts by the time of their next step. Adding and taking a script cost O(log n). */
export class Agenda {
  /** A binary heap: no appointment is later than those at 2i + 1 and 2i + 2. */
  readonly #heap: Appointment[] = [];

  add(at: number, script: Script): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push({ at, script });
    while (index > 0) {
      const above = (index - 1) >> 1;
      if ((heap[above]?.at ?? 0) <= at) break;
      this.#swap(index, above);
      index = above;
    }
  }

  /** Removes and returns the earliest script that is due. */
  takeDue(now: number): Script | undefined {
    const [top] = this.#heap;
    if (top === undefined || top.at > now) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== top) {
      this.#heap[0] = last;
      this.#sink();
    }
    return top.script;
  }

  #sink(): void {
    const at = (index: number): number => this.#heap[index]?.at ?? Infinity;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const least = at(right) < at(left) ? right : left;
      if (at(index) <= at(least)) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (first === undefined || second === undefined) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
