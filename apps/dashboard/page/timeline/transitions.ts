import type { Deployment, KubernetesObject, KubernetesNode, Pod } from 'rx-informers';
import { isTrouble, nodeStatus } from 'rx-informers/resources';
import { statusOf } from '../pods/pod-phase.js';
import { deletionOf } from '../text/deletion.js';
import { isReady } from '../workloads/workload-collections.js';

/** The meaning of a transition: something broke, something recovered, or something only changed. */
export type Tone = 'trouble' | 'recovery' | 'movement';

/** A change of an object, found by comparing two of its versions. */
export interface Transition {
  readonly tone: Tone;
  /**
   * The text that is equal for all transitions of one sort, so that they can be counted: `became
   * ready`.
   */
  readonly what: string;
  /** The text that is specific to this transition: `exit 137`, `n1 → n2`. */
  readonly detail?: string;
}

/** Two versions of an object; `undefined` if the object did not exist. */
export type Versions =
  | { readonly kind: 'Pod'; readonly before: Pod | undefined; readonly after: Pod | undefined }
  | { readonly kind: 'Node'; readonly before: KubernetesNode | undefined; readonly after: KubernetesNode | undefined }
  | { readonly kind: 'Deployment'; readonly before: Deployment | undefined; readonly after: Deployment | undefined };

/**
 * Returns what happened between two versions of an object. Pure.
 *
 * | kind | transitions |
 * | --- | --- |
 * | Pod | created, deleted, rescheduled, scheduled, is being deleted, became ready, became NotReady, restarted, each status in trouble, completed |
 * | Node | node added, node removed, became Ready, became NotReady, is being deleted, cordoned, uncordoned, conditions of pressure |
 * | Deployment | created, deleted, is being deleted, scaled, rollout started, rollout finished, rollout stuck |
 */
export function transitionsOf(versions: Versions): readonly Transition[] {
  switch (versions.kind) {
    case 'Pod':
      return podTransitions(versions.before, versions.after);
    case 'Node':
      return nodeTransitions(versions.before, versions.after);
    case 'Deployment':
      return deploymentTransitions(versions.before, versions.after);
  }
}

function podTransitions(before: Pod | undefined, after: Pod | undefined): readonly Transition[] {
  if (after === undefined) return before === undefined ? [] : [movement('deleted')];
  if (before === undefined) return [movement('created', after.spec?.nodeName), ...troubleSince(undefined, after)];
  if (before.metadata.uid !== after.metadata.uid) {
    const places = [before, after].map(({ spec }) => spec?.nodeName ?? 'no node').join(' → ');
    return [movement('rescheduled', places), ...troubleSince(undefined, after)];
  }
  const transitions: Transition[] = [...troubleSince(before, after)];
  if (statusOf(after).restarts > statusOf(before).restarts) transitions.push(restarted(after));
  const isLeaving = deletionOf(after) !== undefined;
  const isDone = statusOf(after).severity === 'done';
  if (isLeaving && deletionOf(before) === undefined) transitions.push(movement('is being deleted'));
  else if (isDone && statusOf(before).severity !== 'done') transitions.push(movement('completed'));
  else if (!isReady(before) && isReady(after)) transitions.push({ tone: 'recovery', what: 'became ready' });
  else if (isReady(before) && !isReady(after) && !isLeaving && !isDone) {
    transitions.push({ tone: 'trouble', what: 'became NotReady' });
  }
  if (before.spec?.nodeName === undefined && after.spec?.nodeName !== undefined) {
    transitions.push(movement('scheduled', after.spec.nodeName));
  }
  return transitions;
}

/**
 * Returns a new status in trouble, in kubectl's words. A pod that is only not ready is reported as
 * `became NotReady` instead.
 */
function troubleSince(before: Pod | undefined, after: Pod): readonly Transition[] {
  const { reason, severity } = statusOf(after);
  const wasSo = before !== undefined && statusOf(before).reason === reason;
  if (wasSo || !isTrouble(severity) || reason === 'Running' || reason === 'Pending') return [];
  return [{ tone: 'trouble', what: reason }];
}

function restarted({ status }: Pod): Transition {
  const [last] = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
    .flatMap(({ name, lastState }) => (lastState?.terminated ? [{ name, ...lastState.terminated }] : []))
    .sort((a, b) => (b.finishedAt ?? '').localeCompare(a.finishedAt ?? ''));
  if (last === undefined) return { tone: 'trouble', what: 'restarted' };
  const what = last.reason === 'OOMKilled' ? 'OOMKilled, restarted' : 'restarted';
  return { tone: 'trouble', what, detail: `${last.name}, exit ${last.exitCode}` };
}

function nodeTransitions(before: KubernetesNode | undefined, after: KubernetesNode | undefined): readonly Transition[] {
  if (after === undefined) return before === undefined ? [] : [{ tone: 'trouble', what: 'node removed' }];
  if (before === undefined) return [movement('node added')];
  const was = nodeStatus(before);
  const is = nodeStatus(after);
  const transitions: Transition[] = [...deletionSince(before, after)];
  if (was.severity !== 'failing' && is.severity === 'failing') {
    transitions.push({ tone: 'trouble', what: 'became NotReady' });
  }
  if (was.severity === 'failing' && is.severity !== 'failing') {
    transitions.push({ tone: 'recovery', what: 'became Ready' });
  }
  for (const trouble of is.troubles) {
    if (!was.troubles.includes(trouble)) transitions.push({ tone: 'trouble', what: trouble });
  }
  const wasCordoned = before.spec?.unschedulable === true;
  const isCordoned = after.spec?.unschedulable === true;
  if (wasCordoned !== isCordoned) transitions.push(movement(isCordoned ? 'cordoned' : 'uncordoned'));
  return transitions;
}

const finished = 'NewReplicaSetAvailable';
const late = 'ProgressDeadlineExceeded';

function deploymentTransitions(before: Deployment | undefined, after: Deployment | undefined): readonly Transition[] {
  if (after === undefined) return before === undefined ? [] : [movement('deleted')];
  if (before === undefined) return [movement('created')];
  const was = progressOf(before);
  const is = progressOf(after);
  const transitions: Transition[] = [...deletionSince(before, after)];
  if (was !== late && is === late) transitions.push({ tone: 'trouble', what: 'rollout stuck' });
  if (was !== undefined && was !== finished && is === finished) {
    transitions.push({ tone: 'recovery', what: 'rollout finished' });
  }
  const replicas = [before, after].map(({ spec }) => spec?.replicas ?? 1);
  if (replicas[0] !== replicas[1]) transitions.push(movement('scaled', replicas.join(' → ')));
  if (JSON.stringify(before.spec?.template) !== JSON.stringify(after.spec?.template)) {
    transitions.push(movement('rollout started', imagesOf(after)));
  }
  return transitions;
}

function progressOf({ status }: Deployment): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
}

function imagesOf({ spec }: Deployment): string | undefined {
  return spec?.template.spec?.containers.map(({ image = '' }) => image.slice(image.lastIndexOf('/') + 1)).join(', ');
}

/** Returns the request to delete an object, if that is what happened between two versions. */
function deletionSince(before: KubernetesObject, after: KubernetesObject): readonly Transition[] {
  return deletionOf(before) === undefined && deletionOf(after) !== undefined ? [movement('is being deleted')] : [];
}

function movement(what: string, detail?: string): Transition {
  return detail === undefined ? { tone: 'movement', what } : { tone: 'movement', what, detail };
}
