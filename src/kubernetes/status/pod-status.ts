import type { Pod } from '../resources/everyday.js';
import { durationText, type Severity, type StatusSummary } from './status-summary.js';

/** The status of a pod as `kubectl get pods` prints it. */
export interface PodStatusSummary extends StatusSummary {
  /** The READY column: ready and all containers. Sidecars count, as in kubectl. */
  readonly ready: { readonly ready: number; readonly total: number };
  /** The number in the RESTARTS column. */
  readonly restarts: number;
  /** The last restart in `restarts`, as the API server reports it; otherwise undefined. */
  readonly lastRestart: string | undefined;
  /** For example `14 (3m ago)`; only the number without `now` or `lastRestart`. */
  readonly restartsText: string;
  /**
   * The time, in milliseconds since 1970, at which `severity` changes without a change of the pod:
   * shortly after the grace period of a pod that is being deleted. Undefined if there is no such
   * time.
   */
  readonly changesAt: number | undefined;
}

/** The options of `podStatus`. */
export interface PodStatusOptions {
  /**
   * The current time, in milliseconds since 1970. Default: none. Then `restartsText` has no age,
   * and a pod whose deletion is overdue is `progressing` instead of `failing`.
   */
  readonly now?: number | undefined;
}

/**
 * Returns the status that `kubectl get pods` prints for a pod, by the rules of its printer, and its
 * severity.
 *
 * | severity | the first rule that fits |
 * | --- | --- |
 * | `failing` | the pod is being deleted, and its grace period ended more than 10 s before `now` |
 * | `failing` | the node of the pod is lost (`NodeLost`), or the phase of the pod is `Unknown` |
 * | `failed`, `done` | the phase of the pod is `Failed` or `Succeeded` |
 * | `progressing` | the pod is being deleted |
 * | `failing` | a container has ended with an error (`OOMKilled`, `Error`, `Init:Error`), or waits for any reason except its creation (`CrashLoopBackOff`, `ImagePullBackOff`) |
 * | `warning` | the scheduler has found no node for the pod (`Unschedulable`) |
 * | `progressing` | the phase of the pod is not `Running`, or its init containers are not done |
 * | `ok` | the condition `Ready` of the pod is true; if the pod has no such condition, all containers are ready |
 * | `warning` | the pod runs, but is not ready |
 *
 * The rules are those of Kubernetes 1.35. The API server makes the table that kubectl prints, so
 * older servers print some states in other words. Kubernetes 1.20 prints no age of restarts, and
 * knows neither sidecars nor scheduling gates. It prints `Terminating` for a pod that has ended and
 * is being deleted. It prints `Completed` or `NotReady` if one container has completed and another
 * container has failed. If an init container of an initialized pod fails, it does not count the
 * containers of the pod.
 *
 * **Guarantees**: pure; never throws for a pod that the API server accepts; costs O(containers).
 * **Does not guarantee**: that problems are found which kubectl does not show. For example, a
 * container that was restarted a moment ago and runs again is `ok`.
 *
 * @param pod the pod
 * @param options the current time
 * @returns the printed words and numbers, and the severity
 * @example
 * import { podStatus } from 'rx-informers/resources';
 *
 * const { reason, ready, restartsText, severity } = podStatus(pod, { now: Date.now() });
 * // 0/1 CrashLoopBackOff 14 (3m ago) failing
 * console.log(`${ready.ready}/${ready.total} ${reason} ${restartsText}`, severity);
 */
export function podStatus(pod: Pod, { now }: PodStatusOptions = {}): PodStatusSummary {
  const sidecars = sidecarsOf(pod);
  const init = initialization(pod, sidecars);
  const blockedBy = hasCondition(pod, 'Initialized') ? undefined : init.reason;
  const isInitializing = blockedBy !== undefined;
  const main = containersOf(pod, init.reason ?? ownReason(pod));
  const restarts = isInitializing ? init.restarts : add(init.sidecarRestarts, main.restarts);
  const ready = {
    ready: init.ready + (isInitializing ? 0 : main.ready),
    total: (pod.spec?.containers.length ?? 0) + sidecars.size,
  };
  const goneBy = goneByOf(pod);
  const isLost = pod.status?.reason === 'NodeLost' || pod.status?.phase === 'Unknown';
  const isOverdue = goneBy !== undefined && now !== undefined && now >= goneBy;
  const isFailing = decisiveContainers(pod, isInitializing, sidecars).some(isContainerFailing);
  return {
    reason: deletionReason(pod) ?? blockedBy ?? main.reason,
    severity: isOverdue || isLost ? 'failing' : severityOf(pod, { isFailing, isInitializing, ready }),
    ready,
    restarts: restarts.count,
    lastRestart: restarts.count === 0 ? undefined : restarts.last,
    restartsText: restartsText(restarts, now),
    changesAt: isOverdue || isLost ? undefined : goneBy,
  };
}

/** Milliseconds after the grace period until overdue: the kubelet needs a moment, clocks differ. */
const patience = 10_000;

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

interface Restarts {
  readonly count: number;
  /** The time of the last restart: the time at which the previous run of the container ended. */
  readonly last: string | undefined;
}

const none: Restarts = { count: 0, last: undefined };

interface Initialization {
  /** The reason why the containers do not start yet; undefined if there is none. */
  readonly reason: string | undefined;
  /** The number of ready sidecars. */
  readonly ready: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

/** The state of init containers and sidecars, up to the first that blocks the next. */
function initialization({ spec, status }: Pod, sidecars: ReadonlySet<string>): Initialization {
  let [restarts, sidecarRestarts, ready] = [none, none, 0];
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    restarts = add(restarts, restartsOf(container));
    if (isSidecar) sidecarRestarts = add(sidecarRestarts, restartsOf(container));
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && container.started === true) {
      if (container.ready) ready += 1;
      continue;
    }
    const waits = waiting?.reason === 'PodInitializing' ? undefined : waiting?.reason || undefined;
    const word = terminated ? endOf(terminated) : (waits ?? `${index}/${spec?.initContainers?.length ?? 0}`);
    return { reason: `Init:${word}`, ready, restarts, sidecarRestarts };
  }
  return { reason: undefined, ready, restarts, sidecarRestarts };
}

interface Containers {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: Restarts;
}

/**
 * Returns the reason of the first container that waits or has ended; if it is `Completed`, the
 * others decide. `otherwise`: without any reason.
 */
function containersOf(pod: Pod, otherwise: string): Containers {
  const containers = pod.status?.containerStatuses ?? [];
  const ready = containers.filter(isReady).length;
  const reason = containers.map(reasonOf).find((found) => found !== undefined) ?? otherwise;
  return {
    reason: reason === 'Completed' ? completed(pod, ready > 0) : reason,
    ready,
    restarts: containers.map(restartsOf).reduce(add, none),
  };
}

function completed(pod: Pod, someRun: boolean): string {
  if (someRun && hasCondition(pod, 'Ready')) return 'Running';
  const failed = pod.status?.containerStatuses?.find(hasFailed);
  return (failed && reasonOf(failed)) ?? (someRun ? 'NotReady' : 'Completed');
}

function reasonOf({ state }: ContainerStatus): string | undefined {
  return state?.waiting?.reason || (state?.terminated && endOf(state.terminated));
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

function endOf({ reason, signal, exitCode }: Terminated): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** Returns true if kubectl counts a container as ready: its status is ready, and it runs. */
function isReady(container: ContainerStatus): boolean {
  return container.ready && container.state?.running !== undefined && reasonOf(container) === undefined;
}

function hasFailed({ state }: ContainerStatus): boolean {
  return !state?.waiting?.reason && state?.terminated !== undefined && state.terminated.exitCode !== 0;
}

function ownReason({ status }: Pod): string {
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  // The API server sets a phase on every pod; Pending is its default.
  return isGated ? 'SchedulingGated' : status?.reason || status?.phase || 'Pending';
}

function deletionReason(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return hasEnded(pod) ? undefined : 'Terminating';
}

interface Findings {
  readonly isFailing: boolean;
  readonly isInitializing: boolean;
  readonly ready: PodStatusSummary['ready'];
}

function severityOf(pod: Pod, { isFailing, isInitializing, ready }: Findings): Severity {
  const phase = pod.status?.phase;
  if (phase === 'Failed') return 'failed';
  if (phase === 'Succeeded') return 'done';
  if (pod.metadata.deletionTimestamp !== undefined) return 'progressing';
  if (isFailing) return 'failing';
  if (conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable') return 'warning';
  if (phase !== 'Running' || isInitializing) return 'progressing';
  const condition = conditionOf(pod, 'Ready');
  const serves = condition === undefined ? ready.ready === ready.total : condition.status === 'True';
  return serves ? 'ok' : 'warning';
}

/** Reasons for which a container waits although nothing is wrong. */
const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Without init containers of an initialized pod, which cannot fail it; sidecars can. */
function decisiveContainers(
  { status }: Pod,
  isInitializing: boolean,
  sidecars: ReadonlySet<string>,
): readonly ContainerStatus[] {
  const init = (status?.initContainerStatuses ?? []).filter(({ name }) => isInitializing || sidecars.has(name));
  return [...init, ...(status?.containerStatuses ?? [])];
}

function isContainerFailing(container: ContainerStatus): boolean {
  const { waiting, terminated } = container.state ?? {};
  if (waiting?.reason) return !starting.has(waiting.reason);
  return hasFailed(container) || Boolean(terminated?.signal);
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** The deletion timestamp is the end of the grace period, not its beginning. */
function goneByOf({ metadata }: Pod): number | undefined {
  const end = Date.parse(metadata.deletionTimestamp ?? '');
  return Number.isNaN(end) ? undefined : end + patience;
}

function sidecarsOf({ spec }: Pod): ReadonlySet<string> {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return new Set(sidecars.map(({ name }) => name));
}

function restartsOf({ restartCount, lastState }: ContainerStatus): Restarts {
  // An unknown time is null on the wire.
  return { count: restartCount, last: lastState?.terminated?.finishedAt || undefined };
}

function add(a: Restarts, b: Restarts): Restarts {
  return { count: a.count + b.count, last: later(a.last, b.last) };
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Date.parse(a) < Date.parse(b) ? b : a;
}

function restartsText({ count, last }: Restarts, now: number | undefined): string {
  if (count === 0 || last === undefined || now === undefined) return String(count);
  const age = now - Date.parse(last);
  return Number.isNaN(age) ? String(count) : `${count} (${durationText(age)} ago)`;
}

type Condition = NonNullable<NonNullable<Pod['status']>['conditions']>[number];

function conditionOf({ status }: Pod, wanted: string): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function hasCondition(pod: Pod, wanted: string): boolean {
  return conditionOf(pod, wanted)?.status === 'True';
}
