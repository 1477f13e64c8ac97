import { defer, Observable, type SchedulerLike, Subscription, tap } from 'rxjs';
import { StatusError } from '../model/errors.js';
import { recordOf } from './client-record.js';
import type { KubeClient, KubeRequest } from './kube-client.js';

/**
 * The number of slots at first, and after a refusal. Each answered list adds one, so that the first
 * lists of many allowed kinds are soon sent together.
 */
const fewestSlots = 10;

/** The milliseconds for which a refused request keeps its slot. */
const refusedTime = 1_000;

/** The milliseconds after which a request without an answer no longer has a slot. */
const unansweredTime = 50;

/**
 * Returns a client through which all sources of `client` send their first lists. A program that may
 * not read many kinds then sends at most ten refused requests a second (401, 403, 404).
 *
 * A request has a slot until the head of its response arrives, but for at most 50 ms, so that a
 * slow server does not hold up other lists. A refused request keeps its slot for a second. Requests
 * wait in the order of their arrival.
 *
 * @param scheduler the clock of the first source; all sources of the client use it here
 */
export function firstLists(client: KubeClient, scheduler: SchedulerLike): Pick<KubeClient, 'exchange'> {
  const record = recordOf(client);
  return (record.firstLists ??= new Gate(client, scheduler));
}

class Gate implements Pick<KubeClient, 'exchange'> {
  readonly #waiting = new Set<() => void>();
  /** The end of each slot that is taken, by a request that is not answered or was refused. */
  readonly #takenUntil = new Map<object, number>();
  #slots = fewestSlots;
  #alarm = Subscription.EMPTY;
  #isAdmitting = false;

  constructor(
    private readonly client: KubeClient,
    private readonly scheduler: SchedulerLike,
  ) {}

  exchange(request: KubeRequest): ReturnType<KubeClient['exchange']> {
    return new Observable((subscriber) => {
      const slot = {};
      let [isReserved, isQueued] = [true, false];
      const release = (isRefused = false): void => {
        if (!isReserved) return;
        isReserved = false;
        if (isRefused) this.#takenUntil.set(slot, this.scheduler.now() + refusedTime);
        else this.#takenUntil.delete(slot);
        this.#admit();
      };
      const send = (): void => {
        this.#takenUntil.set(slot, this.scheduler.now() + unansweredTime);
        defer(() => {
          if (isQueued) request.onQueued?.(false);
          return this.client.exchange(request);
        })
          .pipe(
            tap({
              next: () => {
                if (!isReserved) return;
                this.#slots++;
                release();
              },
              error: (error: unknown) => {
                if (isRefusal(error)) this.#slots = fewestSlots;
                release(isRefusal(error));
              },
            }),
          )
          .subscribe(subscriber);
      };
      subscriber.add(() => {
        this.#waiting.delete(send);
        if (this.#waiting.size === 0) this.#alarm.unsubscribe();
        release();
      });
      this.#waiting.add(send);
      this.#admit();
      if (!this.#waiting.has(send)) return;
      isQueued = true;
      request.onQueued?.(true);
    });
  }

  /**
   * Sends the requests for which there are slots, and sets the alarm for the next one. A request
   * that is made meanwhile, because a client responds synchronously, is sent by the loop.
   */
  #admit(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    this.#alarm.unsubscribe();
    try {
      for (const send of this.#waiting) {
        const now = this.scheduler.now();
        for (const [slot, until] of this.#takenUntil) if (until <= now) this.#takenUntil.delete(slot);
        if (this.#takenUntil.size >= this.#slots) {
          const wait = Math.min(...this.#takenUntil.values()) - now;
          this.#alarm = this.scheduler.schedule(() => this.#admit(), wait);
          return;
        }
        this.#waiting.delete(send);
        send();
      }
    } finally {
      this.#isAdmitting = false;
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && [401, 403, 404].includes(error.statusCode);
}
