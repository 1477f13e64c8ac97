import { defer, finalize } from 'rxjs';
import type { KubeClient } from 'rx-informers';

/** A client that knows how many of its requests are under way, and which lists and watches there ever were. */
export interface CountedClient extends KubeClient {
  readonly open: number;
  readonly requests: readonly string[];
}

export function countedClient(client: KubeClient): CountedClient {
  const requests: string[] = [];
  let open = 0;
  return {
    get open() {
      return open;
    },
    requests,
    exchange: (request) =>
      defer(() => {
        open++;
        requests.push(`${request.method} ${request.path}${request.query?.['watch'] === true ? ' watch' : ''}`);
        return client.exchange(request).pipe(finalize(() => open--));
      }),
  };
}
