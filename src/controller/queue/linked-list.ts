/** One place in a `LinkedList`; whoever holds it can take its value out without a search. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/** A list that is added to at its end and taken from anywhere, each in O(1); what was taken out is not retained. */
export class LinkedList<T> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  get first(): T | undefined {
    return this.#first?.value;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  push(value: T): Link<T> {
    const link: Link<T> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    return link;
  }

  /** Takes out a link that is in this list. */
  remove(link: Link<T>): void {
    const { previous, next } = link;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    link.previous = undefined;
    link.next = undefined;
  }
}
