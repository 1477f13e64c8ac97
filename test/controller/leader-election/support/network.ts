import { type KubeClient } from 'rx-informers';
import { dematerialize, from, materialize, Observable, timer, toArray, type SchedulerLike } from 'rxjs';
import { connectionError } from '../../../../src/sources/model/errors.js';

/** The connection of one replica to the server. */
export interface Network {
  readonly client: KubeClient;
  /** While this is true, no request and no response arrives. */
  isDown: boolean;
}

/**
 * Returns a network with latency in both directions. As in a real network, an aborted request that
 * was already sent still arrives.
 */
export function network(
  client: KubeClient,
  scheduler: SchedulerLike,
  { there = () => 0, back = () => 0 }: { readonly there?: () => number; readonly back?: () => number } = {},
): Network {
  const self: Network = {
    isDown: false,
    client: {
      exchange: (request) =>
        new Observable((subscriber) => {
          const refused = (): void => {
            const line = { method: request.method, url: request.path };
            subscriber.error(connectionError(line, new Error('the network is down')));
          };
          if (self.isDown) {
            subscriber.add(timer(0, scheduler).subscribe(refused));
            return;
          }
          timer(there(), scheduler).subscribe(() => {
            const parts$ = client.exchange(request).pipe(materialize(), toArray());
            parts$.subscribe((parts) => {
              subscriber.add(
                timer(back(), scheduler).subscribe(() => {
                  if (self.isDown) refused();
                  else from(parts).pipe(dematerialize()).subscribe(subscriber);
                }),
              );
            });
          });
        }),
    },
  };
  return self;
}
