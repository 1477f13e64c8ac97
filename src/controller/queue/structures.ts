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

/** The place of a value in a `LinkedList`. The place allows removal without a search. */
export interface Link<T> {
  readonly value: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/** A list with appends and removals anywhere in O(1). Removed values are not retained. */
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

/** How many values of a higher priority are taken in a row before the oldest value, by default. */
const defaultMaxPassOvers = 9;

/** A value's place in a `PriorityFifo`. */
export interface Ticket<T> {
  readonly value: T;
  readonly byAge: Link<Ticket<T>>;
  level: Level<T>;
  inLevel: Link<Ticket<T>>;
}

interface Level<T> {
  readonly priority: number;
  readonly tickets: LinkedList<Ticket<T>>;
  readonly node: HeapNode<Level<T>>;
}

/**
 * A queue that is ordered by priority, highest first, and by arrival within one priority.
 *
 * Nothing starves: when the oldest value was passed over `maxPassOvers` times in a row, it is next,
 * regardless of its priority. If there is only one priority, values are taken in the order of
 * arrival.
 *
 * Adding, promoting and removing cost O(1), or O(log p) if a priority comes into use or goes out of
 * use, with p priorities in use.
 */
export class PriorityFifo<T> {
  readonly #levels = new Map<number, Level<T>>();
  readonly #byPriority = new Heap<Level<T>>((a, b) => a.priority > b.priority);
  readonly #byAge = new LinkedList<Ticket<T>>();
  #size = 0;
  #passOvers = 0;

  constructor(private readonly maxPassOvers: number = defaultMaxPassOvers) {}

  get size(): number {
    return this.#size;
  }

  push(value: T, priority: number): Ticket<T> {
    const level = this.#levelOf(priority);
    // Both links point back at the ticket, so a ticket found in one list can be removed from both.
    const ticket = { value, level } as { -readonly [P in keyof Ticket<T>]: Ticket<T>[P] };
    ticket.inLevel = level.tickets.push(ticket);
    ticket.byAge = this.#byAge.push(ticket);
    this.#size++;
    return ticket;
  }

  /** Moves a value behind those of a higher priority, with its age. Never lowers its priority. */
  promote(ticket: Ticket<T>, priority: number): void {
    if (priority <= ticket.level.priority) return;
    this.#leaveLevel(ticket);
    ticket.level = this.#levelOf(priority);
    ticket.inLevel = ticket.level.tickets.push(ticket);
  }

  /** Takes out the value whose turn it is. */
  shift(): T | undefined {
    const ticket = this.#next();
    if (!ticket) return undefined;
    this.remove(ticket);
    return ticket.value;
  }

  /** Takes out a value before its turn. */
  remove(ticket: Ticket<T>): void {
    this.#leaveLevel(ticket);
    this.#byAge.remove(ticket.byAge);
    this.#size--;
  }

  #next(): Ticket<T> | undefined {
    const oldest = this.#byAge.first;
    const mostImportant = this.#byPriority.first?.tickets.first;
    const isOldestDue = oldest === mostImportant || this.#passOvers >= this.maxPassOvers;
    this.#passOvers = isOldestDue ? 0 : this.#passOvers + 1;
    return isOldestDue ? oldest : mostImportant;
  }

  #levelOf(priority: number): Level<T> {
    const existing = this.#levels.get(priority);
    if (existing) return existing;
    const level = { priority, tickets: new LinkedList<Ticket<T>>() } as {
      -readonly [P in keyof Level<T>]: Level<T>[P];
    };
    level.node = this.#byPriority.push(level);
    this.#levels.set(priority, level);
    return level;
  }

  #leaveLevel({ level, inLevel }: Ticket<T>): void {
    level.tickets.remove(inLevel);
    if (!level.tickets.isEmpty) return;
    this.#byPriority.remove(level.node);
    this.#levels.delete(level.priority);
  }
}
