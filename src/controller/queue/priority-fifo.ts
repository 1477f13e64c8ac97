import { Heap, type HeapNode } from './heap.js';
import { LinkedList, type Link } from './linked-list.js';

/** How often in a row the oldest value is passed over for the sake of more important ones, unless said otherwise. */
export const defaultMaxPassOvers = 9;

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
 * Values in the order of their priority, higher first, and of their arrival within one priority.
 *
 * Nothing starves: when the value that has waited longest was passed over `maxPassOvers` times in a row, the next one
 * out is that one, whatever its priority. With one priority that never happens, and the order is that of arrival.
 *
 * Adding, promoting and taking out cost O(1), and O(log p) where a priority appears or disappears, with p priorities in use.
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
    // The two links point back at the ticket, so that either way of finding it leads to the other.
    const ticket = { value, level } as { -readonly [P in keyof Ticket<T>]: Ticket<T>[P] };
    ticket.inLevel = level.tickets.push(ticket);
    ticket.byAge = this.#byAge.push(ticket);
    this.#size++;
    return ticket;
  }

  /** Moves a value to the end of a higher priority; it keeps its age. A lower or equal priority changes nothing. */
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
