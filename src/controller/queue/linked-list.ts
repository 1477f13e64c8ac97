/** The place of a value in a `LinkedList`. The place allows removal without a search. */
export interface ListPlace<T> {
  readonly value: T;
  previous: ListPlace<T> | undefined;
  next: ListPlace<T> | undefined;
}

/** A list with appends and removals anywhere in O(1). Removed values are not retained. */
export class LinkedList<T> {
  #first: ListPlace<T> | undefined;
  #last: ListPlace<T> | undefined;

  get first(): T | undefined {
    return this.#first?.value;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  push(value: T): ListPlace<T> {
    const link: ListPlace<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    return link;
  }

  /** Takes out a link that is in this list. */
  remove(link: ListPlace<T>): void {
    const { previous, next } = link;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    link.previous = undefined;
    link.next = undefined;
  }
}
