import { type KubeClient } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { BehaviorSubject, defer, filter, map, takeUntil } from 'rxjs';
import { connectionError } from '../../../src/sources/model/errors.js';

/** A request, and its time in milliseconds. */
export interface ObservedRequest extends KubeRequest {
  readonly at: number;
}

/** A client that records its requests. Its network can be cut. */
export interface ObservedClient extends KubeClient {
  readonly requests: readonly ObservedRequest[];
  /** Breaks open connections and refuses new ones. */
  cut(): void;
  restore(): void;
}

export function observe(client: KubeClient): ObservedClient {
  const requests: ObservedRequest[] = [];
  const connected$ = new BehaviorSubject(true);
  return {
    requests,
    cut: () => connected$.next(false),
    restore: () => connected$.next(true),
    exchange: (request) =>
      defer(() => {
        requests.push({ ...request, at: performance.now() });
        const cut$ = connected$.pipe(
          filter((connected) => !connected),
          map(() => {
            throw connectionError(
              { method: request.method, url: request.path },
              new Error('the test cut the network'),
              'ECONNRESET',
            );
          }),
        );
        return client.exchange(request).pipe(takeUntil(cut$));
      }),
  };
}
