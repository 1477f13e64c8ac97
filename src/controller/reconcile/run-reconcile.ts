import type { KubeClient } from '../../sources/client/kube-client.js';
import type { Logger } from '../logger.js';
import type { RunContext } from '../workqueue/run.js';
import { CollectionEndedError } from './collection-ended-error.js';
import { reasonsOfRun, type ReasonText } from './reconcile-reason.js';
import type { ReconcileRequest } from './reconcile-request.js';
import type { Sources } from './sources.js';

/** What the requests carry. */
export interface RunReconcileContext<Client> {
  /** Returns the logger of a run. */
  readonly loggerOf: (key: string) => Logger;
  /** Returns the client of a run. */
  readonly clientOf: (key: string) => Client;
}

/** What the queue runs: `reconcile`, with what the caches say now. */
export function runReconcile<T, Client extends KubeClient | undefined, Output>(
  reconcile: (request: ReconcileRequest<T, Client>) => Output,
  { primary, collections }: Sources<T>,
  { loggerOf, clientOf }: RunReconcileContext<Client>,
): (key: string, context: RunContext<ReasonText>) => Output {
  return (key, { signal, attempt, reasons: texts }) => {
    const ended = collections.find(({ collection }) => !collection.hasSynced);
    if (ended) throw new CollectionEndedError(key, ended.trigger);
    const object = primary.collection.snapshot.get(key);
    const reasons = reasonsOfRun(texts, attempt);
    const { resource } = primary.collection;
    const client = clientOf(key);
    return reconcile({ key, object, resource, client, reasons, attempt, signal, logger: loggerOf(key) });
  };
}
