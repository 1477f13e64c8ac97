import type { KubeClient } from '../../sources/client/kube-client.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { Logger } from '../logger.js';
import type { ReconcileReason } from './reconcile-reason.js';

/** One run: what `reconcile` is given. `Client` is `KubeClient` with `controller({ client })`, otherwise `undefined`. */
export interface ReconcileRequest<T, Client extends KubeClient | undefined = KubeClient | undefined> {
  readonly key: string;
  /** The newest version in the cache as the run begins; `undefined` where there is none any more. */
  readonly object: T | undefined;
  /**
   * The resource of the primary collection, `undefined` if that does not know it. Hand it to owner
   * references and events, so that they name the right kind whatever the cache keeps of the object.
   */
  readonly resource: Resource<unknown> | undefined;
  /**
   * The `client` of the controller, for what this run writes: the key does not run again before the
   * caches have observed it. `deploymentClient.via(client)` takes a long-lived client through it.
   */
  readonly client: Client;
  /** All that led to this run, oldest first, each once; of many the newest. For logs: what to do follows from the state. */
  readonly reasons: readonly ReconcileReason[];
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  /** Aborted when the run takes too long, the grace period is over, or nobody is subscribed any more; hand it to whatever it waits for. */
  readonly signal: AbortSignal;
  /** The controller's logger; its lines say which controller, and which key. */
  readonly logger: Logger;
}
