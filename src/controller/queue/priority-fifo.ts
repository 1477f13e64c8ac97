import { type HeapNode, Heap } from './heap.js';
import { type ListPlace, LinkedList } from './linked-list.js';

/**
 * How many values of a higher priority are taken in a row before the oldest value. Lower: an
 * initial list ends sooner, changes wait longer. Only tests change it, to need fewer values.
 */
export const fairness = { maxPassOvers: 9 };

/** A value's place in a `PriorityFifo`. */
export interface Ticket<T> {
  readonly value: T;
  readonly byAge: ListPlace<Ticket<T>>;
  level: Level<T>;
  inLevel: ListPlace<Ticket<T>>;
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
    const highestPriority = this.#byPriority.first?.tickets.first;
    const isOldestDue = oldest === highestPriority || this.#passOvers >= fairness.maxPassOvers;
    this.#passOvers = isOldestDue ? 0 : this.#passOvers + 1;
    return isOldestDue ? oldest : highestPriority;
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
