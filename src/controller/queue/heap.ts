/** The place of a value in a `Heap`. The place allows removal without a search. */
export interface HeapNode<T> {
  readonly value: T;
  index: number;
}

/** A binary heap: O(1) for the least value; O(log n) to add, and to remove any value. */
export class Heap<T> {
  readonly #nodes: HeapNode<T>[] = [];

  /** @param isLess returns true if `a` comes before `b` */
  constructor(private readonly isLess: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.#nodes.length;
  }

  /** The least value. */
  get first(): T | undefined {
    return this.#nodes[0]?.value;
  }

  push(value: T): HeapNode<T> {
    const node = { value, index: this.#nodes.length };
    this.#nodes.push(node);
    this.#rise(node);
    return node;
  }

  /** Takes out a node that is in this heap. */
  remove(node: HeapNode<T>): void {
    const last = this.#nodes.pop();
    if (last === undefined || last === node) return;
    this.#put(last, node.index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(node: HeapNode<T>): void {
    for (;;) {
      const parent = node.index > 0 ? this.#nodes[(node.index - 1) >> 1] : undefined;
      if (!parent || !this.isLess(node.value, parent.value)) return;
      this.#swap(node, parent);
    }
  }

  #sink(node: HeapNode<T>): void {
    for (;;) {
      const left = this.#nodes[2 * node.index + 1];
      const right = this.#nodes[2 * node.index + 2];
      const child = left && right && this.isLess(right.value, left.value) ? right : left;
      if (!child || !this.isLess(child.value, node.value)) return;
      this.#swap(node, child);
    }
  }

  #swap(a: HeapNode<T>, b: HeapNode<T>): void {
    const { index } = a;
    this.#put(a, b.index);
    this.#put(b, index);
  }

  #put(node: HeapNode<T>, index: number): void {
    node.index = index;
    this.#nodes[index] = node;
  }
}
