import type { Observable } from 'rxjs';
import { requestJson, type KubeClient } from '../sources/client/kube-client.js';

/** The version of an API server; the fields that every server has. */
export interface ServerVersion {
  readonly major: string;
  /** May end with `+`. */
  readonly minor: string;
  /** For example `v1.36.0`. */
  readonly gitVersion: string;
  readonly platform: string;
}

/**
 * Reads the version of the API server. Any user may read it.
 *
 * **Guarantees**: cold, one request (`GET /version`) per subscription; unsubscribing aborts it
 * (G8). **Errors**: those of {@link requestJson}.
 *
 * @param client the connection to the API server
 * @returns an Observable of one version
 * @example
 * import type { KubeClient } from 'rx-informers';
 * import { serverVersion } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * serverVersion(client).subscribe(({ gitVersion }) => console.log(gitVersion)); // v1.36.0
 */
export function serverVersion(client: KubeClient): Observable<ServerVersion> {
  return requestJson(client, '/version');
}
