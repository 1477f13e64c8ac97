import { type KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import type { VirtualClock } from 'rx-informers/testing';
import { defer, Observable, throwError } from 'rxjs';
import { connectionError } from '../../../../src/sources/model/errors.js';

/**
 * The state of the connection between a replica and the server.
 *
 * | | requests | answers and watch events |
 * | --- | --- | --- |
 * | `up` | arrive | arrive |
 * | `down` | fail | arrive for requests and watches that are open |
 * | `silent` | are lost | are lost |
 * | `deaf` | arrive | are lost |
 * | `late` | arrive 6 s later, even if their sender has left | are lost |
 */
export type Network = 'up' | 'down' | 'silent' | 'deaf' | 'late';

const lateness = 6_000;

/**
 * The connection of one replica. If a part of an answer is lost, nothing more of that answer
 * arrives.
 */
export class Link {
  network: Network = 'up';
  /** The latency of watch events, in milliseconds. */
  lag = 0;
  readonly client: KubeClient;
  readonly #open = new Set<() => void>();

  constructor(
    private readonly server: KubeClient,
    private readonly clock: VirtualClock,
  ) {
    this.client = { exchange: (request) => defer(() => this.#exchange(request)) };
  }

  /** Breaks all open requests and watches. */
  cut(): void {
    for (const cut of [...this.#open]) cut();
  }

  #exchange(request: KubeRequest): Observable<ResponsePart> {
    const { method, path: url } = request;
    const broken = (): Error => connectionError({ method, url }, new Error('the network is down'));
    if (this.network === 'down') return throwError(broken);
    return new Observable((subscriber) => {
      const cut = (): void => {
        subscriber.error(broken());
      };
      this.#open.add(cut);
      subscriber.add(() => {
        this.#open.delete(cut);
      });
      if (this.network === 'silent') return;
      if (this.network === 'late') {
        this.clock.schedule(() => this.server.exchange(request).subscribe({ error: () => {} }), lateness);
        return;
      }
      const isWatch = request.query?.['watch'] !== undefined;
      const arrive = this.#inOrder(isWatch);
      subscriber.add(
        this.server.exchange(request).subscribe({
          next: (part) => {
            arrive(() => {
              subscriber.next(part);
            });
          },
          error: (error: unknown) => {
            arrive(() => {
              subscriber.error(error);
            });
          },
          complete: () => {
            arrive(() => {
              subscriber.complete();
            });
          },
        }),
      );
    });
  }

  /**
   * Returns a function that delivers immediately or after the lag. After a loss, it delivers
   * nothing more.
   */
  #inOrder(isWatch: boolean): (deliver: () => void) => void {
    let isDead = false;
    let next = -Infinity;
    let underWay = 0;
    return (deliver) => {
      isDead ||= this.network !== 'up' && this.network !== 'down';
      if (isDead) return;
      const now = this.clock.now();
      const at = Math.max(next, now + (isWatch ? this.lag : 0));
      next = at;
      if (at === now && underWay === 0) {
        deliver();
        return;
      }
      underWay += 1;
      this.clock.schedule(() => {
        underWay -= 1;
        deliver();
      }, at - now);
    };
  }
}
