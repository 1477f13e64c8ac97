import { EMPTY, filter, map, mergeMap, timer, type Subscription } from 'rxjs';
import type { ServerContext } from '../server-context.js';
import type { StorageEvent } from '../storage/history.js';

/** Plays the kubelet's last part: a deleted pod is gone when its grace period is over. */
export function startPodTerminator(context: ServerContext): Subscription {
  return context.storage.commits$
    .pipe(
      filter(({ resource }) => resource === 'pods'),
      mergeMap(({ event }) => {
        const wait = remaining(context, event);
        return wait === undefined ? EMPTY : timer(wait, context.scheduler).pipe(map(() => event));
      }),
    )
    .subscribe((event) => {
      terminate(context, event);
    });
}

/** Milliseconds until the end of the pod, if this event began or shortened its grace period. */
function remaining({ scheduler }: ServerContext, { type, object, previous }: StorageEvent): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (type === 'DELETED' || deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return undefined;
  if (previous?.metadata.deletionTimestamp === deletionTimestamp) return undefined;
  return Math.max(0, Date.parse(deletionTimestamp) - scheduler.now());
}

function terminate({ storage }: ServerContext, { key, object }: StorageEvent): void {
  const pods = storage.resource('pods');
  const pod = pods.get(key);
  if (pod?.metadata.uid !== object.metadata.uid) return;
  if (pod.metadata.deletionTimestamp !== object.metadata.deletionTimestamp) return;
  const ended = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } };
  if ((pod.metadata.finalizers ?? []).length === 0) pods.remove(key, ended);
  else pods.put(key, ended);
}
