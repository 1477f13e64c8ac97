import type { KubeClient } from 'rx-informers';
import { defer, finalize } from 'rxjs';

/** A client that counts its open requests, and records all lists and watches. */
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
