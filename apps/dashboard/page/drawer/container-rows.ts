import type { Pod } from 'rx-informers';

export type ContainerRole = 'init' | 'sidecar' | 'container' | 'debug';

/**
 * The state of a container, for its mark: it runs, it has ended successfully, it is starting or
 * waiting for its turn, or it is in trouble.
 */
export type ContainerTone = 'good' | 'done' | 'busy' | 'trouble';

/** An exit of a container. */
export interface ContainerExit {
  readonly code: number;
  readonly reason: string | undefined;
  /** The signal that ended the container, if the runtime reports it. */
  readonly signal: number | undefined;
  readonly message: string | undefined;
  readonly at: string | undefined;
}

/** The facts about a container that the drawer shows. */
export interface ContainerRow {
  readonly name: string;
  readonly role: ContainerRole;
  readonly image: string;
  /** For example `running`, `CrashLoopBackOff`, `OOMKilled`. */
  readonly state: string;
  readonly tone: ContainerTone;
  /** The message of the kubelet about the state. */
  readonly message: string | undefined;
  /** The start of the current state, if the kubelet reports it. */
  readonly since: string | undefined;
  readonly isReady: boolean;
  readonly restarts: number;
  /** The last exit: the current one, or the one before the last restart. */
  readonly lastExit: ContainerExit | undefined;
  /** For example `{ cpu: '100m', memory: '64Mi' }`. */
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

type Container = NonNullable<Pod['spec']>['containers'][number];
type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** Returns the containers of a pod in the order in which they are started. */
export function containerRows({ spec, status }: Pod): readonly ContainerRow[] {
  const rows = (
    containers: readonly Container[] | undefined,
    statuses: readonly ContainerStatus[] | undefined,
    roleOf: (container: Container) => ContainerRole,
  ): readonly ContainerRow[] => {
    const byName = new Map(statuses?.map((container) => [container.name, container]));
    return (containers ?? []).map((container) => rowOf(container, byName.get(container.name), roleOf(container)));
  };
  return [
    ...rows(spec?.initContainers, status?.initContainerStatuses, ({ restartPolicy }) =>
      restartPolicy === 'Always' ? 'sidecar' : 'init',
    ),
    ...rows(spec?.containers, status?.containerStatuses, () => 'container'),
    ...rows(spec?.ephemeralContainers, status?.ephemeralContainerStatuses, () => 'debug'),
  ];
}

function rowOf(container: Container, status: ContainerStatus | undefined, role: ContainerRole): ContainerRow {
  const { name, image = '', resources } = container;
  return {
    name,
    role,
    image: image === '' ? (status?.image ?? '') : image,
    ...stateOf(status, role),
    isReady: status?.ready ?? false,
    restarts: status?.restartCount ?? 0,
    lastExit: exitOf(status?.state?.terminated) ?? exitOf(status?.lastState?.terminated),
    requests: resources?.requests ?? {},
    limits: resources?.limits ?? {},
  };
}

/** Reasons for waiting that are not a failure. */
const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

function stateOf(
  status: ContainerStatus | undefined,
  role: ContainerRole,
): Pick<ContainerRow, 'state' | 'tone' | 'message' | 'since'> {
  const { running, waiting, terminated } = status?.state ?? {};
  if (running) {
    const isReady = status?.ready === true || role === 'init' || role === 'debug';
    return {
      state: isReady ? 'running' : 'running, not ready',
      tone: isReady ? 'good' : 'trouble',
      message: undefined,
      since: timeText(running.startedAt),
    };
  }
  if (terminated) {
    const { exitCode, reason, signal, message, finishedAt } = terminated;
    const fallback = signal === undefined || signal === 0 ? `exit code ${exitCode}` : `signal ${signal}`;
    return {
      state: reason ?? fallback,
      tone: exitCode === 0 ? 'done' : 'trouble',
      message,
      since: timeText(finishedAt),
    };
  }
  const reason = waiting?.reason ?? 'waiting';
  const isStarting = starting.has(reason) || reason === 'waiting';
  return { state: reason, tone: isStarting ? 'busy' : 'trouble', message: waiting?.message, since: undefined };
}

type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

function exitOf(terminated: Terminated | undefined): ContainerExit | undefined {
  if (!terminated) return undefined;
  const { exitCode: code, reason, signal, message, finishedAt } = terminated;
  return { code, reason, signal: signal === 0 ? undefined : signal, message, at: timeText(finishedAt) };
}

/** Returns a time as text. The API server sends text, although the client's types have `Date`. */
function timeText(time: unknown): string | undefined {
  return typeof time === 'string' ? time : undefined;
}

const seconds = 1000;
const maxBackOff = 300 * seconds;

/**
 * Returns when the kubelet next restarts a container that waits in `CrashLoopBackOff`, in
 * milliseconds since the epoch.
 *
 * The delay starts at the last exit. Its length is in the kubelet's message. If the message has
 * none, the function assumes 10 s, doubled with each restart, at most 5 min.
 */
export function nextTryOf({ state, message, lastExit, restarts }: ContainerRow): number | undefined {
  const last = Date.parse(lastExit?.at ?? '');
  if (state !== 'CrashLoopBackOff' || Number.isNaN(last)) return undefined;
  const named = goDuration(/^back-off (\S+) restarting/.exec(message ?? '')?.[1] ?? '');
  return last + (named ?? Math.min(maxBackOff, 10 * seconds * 2 ** Math.max(0, restarts - 1)));
}

/** Parses a duration in Go's format, `2m40s`, to milliseconds. */
function goDuration(text: string): number | undefined {
  const [, h, m, s] = /^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?$/.exec(text) ?? [];
  if (h === undefined && m === undefined && s === undefined) return undefined;
  return (Number(h ?? 0) * 3600 + Number(m ?? 0) * 60 + Number(s ?? 0)) * seconds;
}
