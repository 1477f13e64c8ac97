import type { KubernetesObject } from 'rx-informers';
import { compareResourceVersions } from 'rx-informers/resources';
import { Observable, timer } from 'rxjs';
import type { Opened } from '../address/page-address.js';
import type { Cluster } from '../cluster/cluster.js';
import type { ShownWrites } from './shown-writes.js';
import { changeOf, send, type Deletable, type Write } from './writes.js';

/** Milliseconds after which a deletion is no longer shown if the watch does not confirm it. */
const patience = 30_000;

/**
 * Sends a write and shows it at once. Emits the answer of the API server. If the API server refuses
 * the write, stops showing the write and then emits the error.
 */
export function shownWrite(
  { client, writes }: Pick<Cluster, 'client' | 'writes'>,
  opened: Opened,
  object: KubernetesObject,
  wanted: Write,
): Observable<KubernetesObject> {
  return new Observable((subscriber) => {
    const sources = writes.sourcesOf(opened.resource, object);
    const attempts = sources.map((source) => beginAttempt(source, opened.key, object, wanted));
    send(client, opened, wanted).subscribe({
      next: (answer) => {
        for (const { answered } of attempts) answered(answer);
        subscriber.next(answer);
      },
      error: (error: unknown) => {
        for (const { end } of attempts) end();
        subscriber.error(error);
      },
      complete: () => {
        subscriber.complete();
      },
    });
  });
}

interface ShownAttempt {
  readonly answered: (answer: KubernetesObject) => void;
  readonly end: () => void;
}

/**
 * Shows a write in one source until the watch has delivered the version of the API server's answer.
 */
function beginAttempt(
  source: ReturnType<ShownWrites['sourcesOf']>[number],
  key: string,
  object: KubernetesObject,
  wanted: Write,
): ShownAttempt {
  const change = changeOf(wanted);
  let wantedVersion: string | undefined;
  let lastVersion: string | undefined;
  let isGone = false;
  const isThere = (): boolean =>
    lastVersion === undefined || (compareResourceVersions(lastVersion, wantedVersion ?? '') ?? 1) >= 0;
  const shown = (cached: KubernetesObject): KubernetesObject => {
    if (cached.metadata?.resourceVersion !== undefined) lastVersion = cached.metadata.resourceVersion;
    const isSame = cached.metadata?.uid === object.metadata?.uid;
    if (isSame && (isGone || wantedVersion === undefined || !isThere())) return change(cached);
    // Ends the attempt later, because the source is processing a batch now.
    queueMicrotask(() => {
      end();
    });
    return cached;
  };
  const end = source.attempt(key, shown);
  return {
    end,
    answered: (answer) => {
      const { resourceVersion, deletionTimestamp }: Deletable = answer.metadata ?? {};
      isGone = wanted.type === 'delete' && deletionTimestamp === undefined;
      wantedVersion = resourceVersion;
      // The object stays shown as terminating until the watch reports its deletion.
      if (isGone) timer(patience).subscribe(end);
      else if (resourceVersion === undefined || isThere()) end();
    },
  };
}
