import type { Deployment } from 'rx-informers';
import { setCondition } from 'rx-informers/controller';
import type { Editable } from 'rx-informers/requests';
import type { TimestampProvider } from 'rxjs';
import { urlOf } from './desired-state.js';
import type { Website } from './website.js';

/**
 * Writes the state of the Deployment into the status of a draft. Changes nothing if the state is
 * equal.
 *
 * @param website the version that was applied; the draft may be newer, and its status must not
 * claim that the newer spec was applied
 */
export function showProgress(
  draft: Editable<Website>,
  website: Website,
  deployment: Deployment | undefined,
  now: TimestampProvider,
): void {
  const wanted = website.spec.replicas ?? 1;
  const ready = readyReplicasOf(deployment);
  const isReady = ready >= wanted;
  draft.status ??= {};
  draft.status.readyReplicas = ready;
  draft.status.url = urlOf(website);
  setReady(draft, website, now, {
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'AllReplicasReady' : 'WaitingForReplicas',
    message: `${ready} of ${wanted} replicas are ready`,
  });
}

/** Writes into the status of a draft why its spec is not valid. */
export function showProblem(draft: Editable<Website>, website: Website, problem: string, now: TimestampProvider): void {
  setReady(draft, website, now, { status: 'False', reason: 'InvalidSpec', message: problem });
}

interface Readiness {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function setReady(draft: Editable<Website>, website: Website, now: TimestampProvider, readiness: Readiness): void {
  const observedGeneration = website.metadata.generation ?? 0;
  draft.status ??= {};
  draft.status.observedGeneration = observedGeneration;
  draft.status.conditions = setCondition(
    draft.status.conditions,
    { type: 'Ready', ...readiness, observedGeneration },
    now,
  );
}

/** Returns the ready replicas, or 0 if the Deployment's status is older than its spec. */
function readyReplicasOf(deployment: Deployment | undefined): number {
  const isCurrent = deployment?.status?.observedGeneration === deployment?.metadata.generation;
  return isCurrent ? (deployment?.status?.readyReplicas ?? 0) : 0;
}
