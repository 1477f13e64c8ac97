import type { Pod } from 'rx-informers';
import { podStatus } from 'rx-informers/resources';
import { ageText, durationText } from '../text/age.js';
import { deletionOf, finalizersText } from '../text/deletion.js';
import { containerRows, nextTryOf, type ContainerExit, type ContainerRow } from './container-rows.js';

/**
 * Returns the first line of a pod's drawer, for example `CrashLoopBackOff, 88 restarts; last exit
 * 137 OOMKilled 40s ago; next try in 4m`.
 */
export function podHeadline(pod: Pod, now: number): string {
  const rows = containerRows(pod);
  const { reason, restarts } = podStatus(pod, { now });
  const status = [reason, ...(restarts > 0 ? [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`] : [])].join(
    ', ',
  );
  const worst = worstOf(rows);
  return [status, deletionText(pod, now), worst && exitText(worst.lastExit, now), worst && nextTryText(worst, now)]
    .filter((part) => part !== undefined)
    .join('; ');
}

/**
 * Returns the container for the headline: one that is in trouble, otherwise the one that ended
 * last.
 */
function worstOf(rows: readonly ContainerRow[]): ContainerRow | undefined {
  const troubled = rows.find(({ tone, lastExit }) => tone === 'trouble' && lastExit);
  if (troubled) return troubled;
  return rows.filter(({ lastExit, restarts }) => lastExit && restarts > 0).sort((a, b) => exitTime(b) - exitTime(a))[0];
}

function exitTime({ lastExit }: ContainerRow): number {
  return Date.parse(lastExit?.at ?? '') || 0;
}

function exitText(exit: ContainerExit | undefined, now: number): string | undefined {
  if (!exit) return undefined;
  const how = exit.signal === undefined ? String(exit.code) : `by signal ${exit.signal}`;
  const at = Date.parse(exit.at ?? '');
  const ago = Number.isNaN(at) ? [] : [`${durationText(now - at)} ago`];
  return ['last exit', how, ...(exit.reason === undefined ? [] : [exit.reason]), ...ago].join(' ');
}

function nextTryText(row: ContainerRow, now: number): string | undefined {
  const at = nextTryOf(row);
  if (at === undefined) return undefined;
  return at > now ? `next try in ${durationText(at - now)}` : 'next try is due';
}

function deletionText(pod: Pod, now: number): string | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const due = Date.parse(deletionTimestamp ?? '');
  if (Number.isNaN(due)) return undefined;
  const end =
    now > due
      ? `${durationText(now - due)} beyond its grace period of ${deletionGracePeriodSeconds}s`
      : `ends within ${durationText(due - now)}`;
  return `being deleted for ${ageText(now, deletionOf(pod)?.since)}, ${end}`;
}

/**
 * Returns sentences that explain why a pod is not healthy, each once. Returns none for a healthy pod.
 */
export function podExplanations(pod: Pod): readonly string[] {
  const { status } = pod;
  const rows = containerRows(pod);
  const sentences = [
    ...deletionWords(pod),
    ...evictionWords(pod),
    ...(status?.reason === 'NodeLost' ? ['Its node no longer reports, so this state may be out of date.'] : []),
    ...schedulingWords(pod),
    ...rows.flatMap(containerWords),
    ...readinessWords(pod, rows),
  ];
  return [...new Set(sentences)];
}

function deletionWords(pod: Pod): readonly string[] {
  const { finalizers } = deletionOf(pod) ?? {};
  if (finalizers === undefined) return [];
  if (finalizers.length === 0) return ['It is being deleted, and remains until its containers have ended.'];
  return [`It is being deleted. ${finalizersText(finalizers)}`];
}

function evictionWords({ status }: Pod): readonly string[] {
  if (status?.phase !== 'Failed' || !status.message) return [];
  return [sentence(status.reason === 'Evicted' ? `The kubelet evicted it: ${status.message}` : status.message)];
}

function schedulingWords({ spec, status }: Pod): readonly string[] {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    if (scheduled.reason === 'SchedulingGated') return ['It is not scheduled until its scheduling gates are removed.'];
    return [sentence(`It cannot be scheduled: ${scheduled.message ?? 'the scheduler gives no reason'}`)];
  }
  const waits = status?.phase === 'Pending' && !spec?.nodeName;
  return waits ? ['It waits for the scheduler to choose a node.'] : [];
}

function containerWords(row: ContainerRow): readonly string[] {
  const { name, role, image, state, message, tone, lastExit } = row;
  const what = role === 'container' ? `Container ${name}` : `${roleTitles[role]} ${name}`;
  const reasonText = message === undefined ? '' : `: ${message}`;
  switch (state) {
    case 'CrashLoopBackOff':
      return [
        lastExit ? `${what} ${exitWords(row, lastExit)}.` : `${what} keeps exiting.`,
        'The kubelet restarts it with growing delays: 10 s at first, 5 min at most.',
      ];
    case 'ImagePullBackOff':
    case 'ErrImagePull':
    case 'ErrImageNeverPull':
    case 'InvalidImageName':
    case 'ImageInspectError':
    case 'RegistryUnavailable':
      return [sentence(`The image ${image} of ${lowerFirst(what)} cannot be pulled${reasonText}`)];
    case 'CreateContainerConfigError':
      return [
        sentence(`${what} cannot be configured${reasonText}`),
        'Usually a ConfigMap or a Secret that it refers to does not exist, or lacks a key.',
      ];
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'StartError':
      return [sentence(`${what} cannot be started${reasonText}`)];
    case 'ContainerCreating':
      return [`${what} is being created: its image is pulled, and its volumes are mounted.`];
    case 'PodInitializing':
    case 'waiting':
      return [];
    default:
      return tone === 'trouble' && lastExit && state !== 'running, not ready'
        ? [`${what} ${exitWords(row, lastExit)}.`]
        : [];
  }
}

const roleTitles = { init: 'Init container', sidecar: 'Sidecar', debug: 'Debug container' } as const;

function exitWords({ limits }: ContainerRow, { code, reason, signal }: ContainerExit): string {
  if (reason === 'OOMKilled') {
    const limit = limits['memory'];
    return limit === undefined
      ? 'was killed because memory ran out on its node'
      : `was killed because it used more memory than its limit of ${limit}`;
  }
  if (signal !== undefined) return `was terminated by signal ${signal}`;
  return exitCodes[code] ?? `exited with code ${code}`;
}

const exitCodes: Readonly<Record<number, string>> = {
  0: 'exited with code 0, although it should keep running',
  126: 'could not run its command (exit code 126): it is not executable',
  127: 'could not run its command (exit code 127): it was not found in the image',
  134: 'aborted (exit code 134, SIGABRT)',
  137: 'was killed (exit code 137, SIGKILL)',
  139: 'crashed with a segmentation fault (exit code 139)',
  143: 'was terminated on request (exit code 143, SIGTERM)',
};

function readinessWords({ metadata, spec, status }: Pod, rows: readonly ContainerRow[]): readonly string[] {
  if (status?.phase !== 'Running' || metadata.deletionTimestamp !== undefined) return [];
  const unready = rows.filter(({ state }) => state === 'running, not ready').map(({ name }) => name);
  const probing =
    unready.length > 0
      ? [
          `${listText(unready)} ${unready.length === 1 ? 'runs' : 'run'}, but ${unready.length === 1 ? 'is' : 'are'} not ready: no traffic is sent to this pod.`,
        ]
      : [];
  const gates = (spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => status.conditions?.find((condition) => condition.type === type)?.status !== 'True')
    .map((type) => `It is not ready until the readiness gate ${type} is met.`);
  return [...probing, ...gates];
}

function listText(names: readonly string[]): string {
  return names.length === 1 ? `Container ${names[0] ?? ''}` : `Containers ${names.join(', ')}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
