import type { Resource } from '../../kubernetes/resource.js';
import type { Logger } from '../../requests/logger.js';
import {
  type ResourceClient,
  resourceClient,
  type ResourceClientOptions,
} from '../../requests/resource-client/resource-client.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { RunHandOver } from '../lease/written-versions.js';
import { Skipped } from '../workqueue/outcome.js';
import type { RunContext } from '../workqueue/run.js';
import type { ReconcileRequest } from './controller-options.js';
import { reasonsOfRun, type ReasonText } from './reconcile-event.js';
import { type Sources, collectionEndedError } from './sources.js';

/** Provides the parts of a request that do not come from the caches. */
export interface RunReconcileContext<Client> {
  readonly loggerOf: (key: string) => Logger;
  readonly clientOf: (key: string, signal: AbortSignal) => Client;
  /** Returns the hand-over of a run, or the result of a run that has to wait for its caches. */
  readonly handOverOf: (key: string, context: RunContext<ReasonText>) => RunHandOver | Skipped | undefined;
}

/** Calls `reconcile` with the content of the caches at the start of the run. */
export function runReconcile<T, Client extends KubeClient | undefined, Output>(
  reconcile: (request: ReconcileRequest<T, Client>) => Output,
  { primary, collections }: Sources<T>,
  { loggerOf, clientOf, handOverOf }: RunReconcileContext<Client>,
): (key: string, context: RunContext<ReasonText>) => Output | Skipped {
  return (key, context) => {
    const { signal, attempt, reasons: texts } = context;
    const ended = collections.find(({ collection }) => !collection.hasSynced);
    if (ended) throw collectionEndedError(key, ended.trigger);
    const handOver = handOverOf(key, context);
    if (handOver instanceof Skipped) return handOver;
    const object = primary.collection.snapshot.get(key);
    const reasons = reasonsOfRun(texts, attempt);
    const { resource } = primary.collection;
    const client = clientOf(key, signal);
    const ofRun = (client && clientOfRun(client)) as ReconcileRequest<T, Client>['clientOf'];
    const clients = { client, clientOf: ofRun };
    return reconcile({ key, object, resource, ...clients, reasons, attempt, signal, logger: loggerOf(key), handOver });
  };
}

function clientOfRun(client: KubeClient) {
  return (of: Resource<unknown> | ResourceClient<unknown>, options?: ResourceClientOptions): ResourceClient<unknown> =>
    'via' in of ? of.via(client) : resourceClient(client, of, options);
}
