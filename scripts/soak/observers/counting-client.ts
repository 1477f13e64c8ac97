import type { KubeClient } from 'rx-informers';
import { defer } from 'rxjs';

/** A client that counts its requests, and the lists among them. */
export interface CountingClient extends KubeClient {
  readonly requests: number;
  readonly lists: number;
  /** The most requests within any 60 seconds. */
  readonly busiestMinute: number;
}

/**
 * Counts the requests of a client. It measures time with the monotonic clock, because the soak
 * moves the wall clock.
 */
export function countRequests(client: KubeClient): CountingClient {
  const lastMinute: number[] = [];
  let requests = 0;
  let lists = 0;
  let busiestMinute = 0;
  return {
    get requests() {
      return requests;
    },
    get lists() {
      return lists;
    },
    get busiestMinute() {
      return busiestMinute;
    },
    exchange: (request) =>
      defer(() => {
        const now = performance.now();
        while (lastMinute[0] !== undefined && lastMinute[0] < now - 60_000) lastMinute.shift();
        lastMinute.push(now);
        busiestMinute = Math.max(busiestMinute, lastMinute.length);
        requests += 1;
        if (request.query?.['watch'] === undefined || request.query['sendInitialEvents'] !== undefined) lists += 1;
        return client.exchange(request);
      }),
  };
}
