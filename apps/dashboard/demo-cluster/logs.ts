import type { PodLog, PodLogLine, PodLogRequest } from 'rx-informers/testing';
import { asyncScheduler, concatMap, defer, of, repeat, timer, type Observable, type SchedulerLike } from 'rxjs';

/** The number of past lines. */
const most = 300;

/**
 * Returns the log of a container of the demo, with some seconds between two lines. A container
 * always has the same lines for the same times. A container that crashed logs the reason.
 */
export function demoLogs(scheduler: SchedulerLike = asyncScheduler): (request: PodLogRequest) => PodLog {
  return ({ pod, container, previous }) => {
    const seed = hashOf(`${pod.metadata.uid} ${container} ${String(previous)}`);
    const { start, end } = runOf(pod, container, previous, scheduler.now());
    const lastSlot = Math.floor((end - start) / slot);
    const first = Math.max(0, lastSlot - most);
    const lines = Array.from({ length: Math.max(0, lastSlot - first) }, (_, index) =>
      lineAt(seed, start, first + index),
    );
    const error = endOf(pod, container, previous);
    const written = [
      ...(first === 0 ? opening(start, container) : []),
      ...lines,
      ...(error === undefined ? [] : [{ time: end, text: error }]),
    ];
    return { lines: written, lines$: liveLines(seed, start, scheduler) };
  };
}

/** Milliseconds of a time slot. The log has one line in each slot. */
const slot = 2000;

function liveLines(seed: number, start: number, scheduler: SchedulerLike): Observable<PodLogLine> {
  return defer(() => {
    const next = Math.floor((scheduler.now() - start) / slot) + 1;
    const line = lineAt(seed, start, next);
    return timer(Math.max(1, line.time - scheduler.now()), scheduler).pipe(concatMap(() => of(line)));
  }).pipe(repeat());
}

const paths = [
  '/',
  '/cart',
  '/products/4711',
  '/products/1042',
  '/checkout',
  '/api/orders',
  '/api/stock',
  '/healthz',
  '/search?q=lamp',
];

function lineAt(seed: number, start: number, index: number): PodLogLine {
  const chance = hashOf(`${seed} ${index}`);
  const time = start + index * slot + (chance % slot);
  const path = paths[chance % paths.length] ?? '/';
  const milliseconds = 2 + (chance % 190);
  const id = (chance % 0xffffff).toString(16).padStart(6, '0');
  const kind = chance % 40;
  if (kind === 0) return { time, text: `level=error msg="upstream timed out" path=${path} trace=${id} duration=30s` };
  if (kind < 3)
    return { time, text: `level=warn msg="slow query" table=orders duration=${milliseconds * 20}ms trace=${id}` };
  return {
    time,
    text: `level=info msg="request" method=GET path=${path} status=200 duration=${milliseconds}ms trace=${id}`,
  };
}

function opening(time: number, container: string): readonly PodLogLine[] {
  return [
    { time, text: `level=info msg="starting ${container}"` },
    { time: time + 400, text: 'level=info msg="listening" port=8080' },
  ];
}

interface Run {
  readonly start: number;
  readonly end: number;
}

interface State {
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly startedAt?: string;
    readonly finishedAt?: string;
    readonly exitCode?: number;
    readonly reason?: string;
  };
}

function statesOf(
  { status }: PodLogRequest['pod'],
  container: string,
): { readonly state: State; readonly lastState: State } {
  const { containerStatuses = [], initContainerStatuses = [] } = (status ?? {}) as {
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
  const { state = {}, lastState = {} } =
    [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container) ?? {};
  return { state, lastState };
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: State;
  readonly lastState?: State;
}

/**
 * Returns the run whose log is requested: the current one, or the last one if the container waits
 * for its restart.
 */
function runOf(pod: PodLogRequest['pod'], container: string, previous: boolean, now: number): Run {
  const { state, lastState } = statesOf(pod, container);
  const started = Date.parse(state.running?.startedAt ?? '');
  if (!previous && !Number.isNaN(started)) return { start: started, end: now };
  const { startedAt = '', finishedAt = '' } = (previous ? undefined : state.terminated) ?? lastState.terminated ?? {};
  const [start, end] = [Date.parse(startedAt), Date.parse(finishedAt)];
  return Number.isNaN(start) || Number.isNaN(end) ? { start: now, end: now } : { start, end };
}

/** Returns the last line of a run that has ended. */
function endOf(pod: PodLogRequest['pod'], container: string, previous: boolean): string | undefined {
  const { state, lastState } = statesOf(pod, container);
  if (!previous && state.running) return undefined;
  const { exitCode = 0, reason = '' } = (previous ? undefined : state.terminated) ?? lastState.terminated ?? {};
  if (exitCode === 0) return 'level=info msg="done"';
  if (reason === 'OOMKilled') return 'level=info msg="loading model" size=1.9Gi';
  return 'level=fatal msg="cannot connect to database" error="dial tcp 10.8.3.7:5432: connect: connection refused"';
}

/** Returns a 32-bit hash. The same text always has the same hash. */
export function hashOf(text: string): number {
  let hash = 2166136261;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  return hash >>> 0;
}
