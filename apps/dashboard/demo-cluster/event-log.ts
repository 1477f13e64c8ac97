import { timeText, type Json } from './objects.js';

export interface Involved {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** The maximum number of Events. A real cluster deletes them after an hour. */
const most = 400;

interface Known {
  readonly name: string;
  readonly namespace: string;
  readonly first: number;
  count: number;
}

/** Writes Events, and counts repeated ones. */
export class EventLog {
  /** The Events by the object that they are about, the oldest first. */
  readonly #known = new Map<string, Known>();
  #made = 0;

  constructor(
    private readonly write: (event: Json) => void,
    private readonly remove: (name: string, namespace: string) => void,
  ) {}

  record(involved: Involved, type: 'Normal' | 'Warning', reason: string, message: string, now: number): void {
    const key = `${involved.kind}/${involved.namespace}/${involved.name}/${reason}/${message}`;
    const known = this.#known.get(key) ?? {
      name: `${involved.name}.${(this.#made += 1).toString(16).padStart(8, '1')}`,
      namespace: involved.namespace,
      first: now,
      count: 0,
    };
    known.count += 1;
    this.#known.delete(key);
    this.#known.set(key, known);
    const component = sourceOf(involved.kind, reason);
    this.write({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: known.name, namespace: known.namespace, creationTimestamp: timeText(known.first) },
      involvedObject: involved,
      type,
      reason,
      message,
      count: known.count,
      firstTimestamp: timeText(known.first),
      lastTimestamp: timeText(now),
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
    });
    if (this.#known.size > most) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [oldest] = this.#known;
    if (oldest === undefined) return;
    this.#known.delete(oldest[0]);
    this.remove(oldest[1].name, oldest[1].namespace);
  }
}

function sourceOf(kind: string, reason: string): string {
  if (reason === 'Scheduled' || reason === 'FailedScheduling') return 'default-scheduler';
  if (kind === 'Pod') return 'kubelet';
  return kind === 'Node' ? 'node-controller' : `${kind.toLowerCase()}-controller`;
}
