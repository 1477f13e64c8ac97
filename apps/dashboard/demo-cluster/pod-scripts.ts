import type { Trouble } from './apps.js';
import type { ContainerState, DemoPod } from './objects.js';
import type { PodHandle } from './workloads.js';

/** A sequence of steps. After each step it yields the seconds until the next one. */
export type Script = Generator<number, void>;

/** The functions that a script of a pod needs. */
export interface PodStage {
  now(): number;
  /** Returns a random number of seconds. */
  between(least: number, most: number): number;
  /**
   * Writes a change of a pod. Returns false if the pod is being removed. Then the script must end.
   */
  write(handle: PodHandle, change: Partial<DemoPod>): boolean;
  event(handle: PodHandle, type: 'Normal' | 'Warning', reason: string, message: string): void;
  /** Selects a node for a pod that has none. */
  schedule(handle: PodHandle): string;
  address(): string;
}

export function containersOf({ app, image }: Pick<DemoPod, 'app' | 'image'>, now: number): readonly ContainerState[] {
  const made = { is: 'waiting', reason: 'ContainerCreating', ready: false, restarts: 0, since: now } as const;
  return [
    { ...made, name: app.name, image },
    ...(app.sidecar === undefined
      ? []
      : [{ ...made, name: app.sidecar, image: `registry.example.com/mesh/${app.sidecar}:1.31.0` }]),
  ];
}

export function initOf({ app, image }: Pick<DemoPod, 'app' | 'image'>, now: number): readonly ContainerState[] {
  if (app.init === undefined) return [];
  return [{ name: app.init, image, is: 'running', ready: false, restarts: 0, since: now }];
}

/** Returns a running container. */
export function running(container: ContainerState, now: number, ready: boolean): ContainerState {
  const { name, image, restarts, last } = container;
  return { name, image, is: 'running', ready, restarts, since: now, ...(last && { last }) };
}

export function ended(container: ContainerState, now: number, reason: string, exitCode: number): ContainerState {
  const { name, image, restarts, last } = container;
  return {
    name,
    image,
    is: 'ended',
    reason,
    exitCode,
    ready: exitCode === 0 && reason === '',
    restarts,
    since: now,
    ...(last && { last }),
  };
}

/** Returns a container that waits for its restart, after a run that ended now. */
export function backOff(container: ContainerState, now: number): ContainerState {
  const { name, image, restarts, reason = 'Error', exitCode = 1 } = container;
  const message = `back-off 2m40s restarting failed container=${name}`;
  const last = container.is === 'ended' ? { reason, exitCode, at: container.since } : container.last;
  return {
    name,
    image,
    is: 'waiting',
    reason: 'CrashLoopBackOff',
    message,
    ready: false,
    restarts: restarts + 1,
    since: now,
    ...(last && { last }),
  };
}

/** Replaces the first container. */
function first(
  states: readonly ContainerState[],
  change: (state: ContainerState) => ContainerState,
): readonly ContainerState[] {
  return states.map((state, index) => (index === 0 ? change(state) : state));
}

/**
 * Starts a pod: it is scheduled, its init containers run, and its containers start and become
 * ready.
 */
export function* comesUp(stage: PodStage, handle: PodHandle): Script {
  yield stage.between(0.3, 1.2);
  const node = handle.pod.node ?? stage.schedule(handle);
  const { app, name } = handle.pod;
  if (
    !stage.write(handle, {
      node,
      init: initOf(handle.pod, stage.now()),
      containers: waitingContainers(handle.pod, stage.now()),
    })
  )
    return;
  stage.event(handle, 'Normal', 'Scheduled', `Successfully assigned ${app.namespace}/${name} to ${node}`);
  yield stage.between(1, 4);
  if (app.init !== undefined) {
    const init = handle.pod.init.map((state) => ended(state, stage.now(), 'Completed', 0));
    if (!stage.write(handle, { init })) return;
    yield stage.between(0.5, 2);
  }
  const containers = (ready: boolean) => handle.pod.containers.map((state) => running(state, stage.now(), ready));
  if (!stage.write(handle, { phase: 'Running', ip: stage.address(), containers: containers(false) })) return;
  stage.event(handle, 'Normal', 'Started', `Started container ${app.name}`);
  yield stage.between(2, 6);
  stage.write(handle, { containers: handle.pod.containers.map((state) => ({ ...state, ready: true })) });
}

function waitingContainers(pod: DemoPod, now: number): readonly ContainerState[] {
  const containers = containersOf(pod, now);
  return pod.app.init === undefined ? containers : containers.map((state) => ({ ...state, reason: 'PodInitializing' }));
}

/** Ends the first container of a healthy pod, and starts it again. */
export function* restarts(stage: PodStage, handle: PodHandle): Script {
  const { app, containers } = handle.pod;
  if (!stage.write(handle, { containers: first(containers, (state) => ended(state, stage.now(), 'Error', 1)) })) return;
  stage.event(handle, 'Warning', 'BackOff', `Back-off restarting failed container ${app.name}`);
  yield stage.between(1, 3);
  const again = (state: ContainerState): ContainerState => ({
    ...running(state, stage.now(), false),
    restarts: state.restarts + 1,
    last: { reason: 'Error', exitCode: 1, at: state.since },
  });
  if (!stage.write(handle, { containers: first(handle.pod.containers, again) })) return;
  yield stage.between(3, 8);
  stage.write(handle, { containers: handle.pod.containers.map((state) => ({ ...state, ready: true })) });
}

/**
 * Runs the first container for a while, ends it, and waits before the next run. Goes on until the
 * pod is removed.
 */
function* crashes(
  stage: PodStage,
  handle: PodHandle,
  how: { reason: string; exitCode: number; serves: boolean },
): Script {
  const change = (to: (state: ContainerState) => ContainerState): boolean =>
    stage.write(handle, { phase: 'Running', containers: first(handle.pod.containers, to) });
  for (;;) {
    if (!change((state) => ended(state, stage.now(), how.reason, how.exitCode))) return;
    yield stage.between(4, 9);
    if (!change((state) => backOff(state, stage.now()))) return;
    stage.event(handle, 'Warning', 'BackOff', `Back-off restarting failed container ${handle.pod.app.name}`);
    yield stage.between(25, 80);
    if (!change((state) => running(state, stage.now(), how.serves))) return;
    stage.event(handle, 'Normal', 'Started', `Started container ${handle.pod.app.name}`);
    yield how.serves ? stage.between(25, 70) : stage.between(5, 12);
  }
}

/** Reports that the image is not found, again and again until the pod is removed. */
function* findsNoImage(stage: PodStage, handle: PodHandle): Script {
  const { image } = handle.pod;
  for (;;) {
    for (const reason of ['ErrImagePull', 'ImagePullBackOff']) {
      const message = reason === 'ErrImagePull' ? `${image}: not found` : `Back-off pulling image "${image}"`;
      const containers = first(handle.pod.containers, (state) => ({
        ...state,
        is: 'waiting',
        reason,
        message,
        ready: false,
      }));
      if (!stage.write(handle, { phase: 'Pending', containers })) return;
      stage.event(handle, 'Warning', reason === 'ErrImagePull' ? 'Failed' : 'BackOff', message);
      yield reason === 'ErrImagePull' ? stage.between(5, 10) : stage.between(30, 70);
    }
  }
}

/** Fails the init container again and again until the pod is removed. */
function* cannotInitialize(stage: PodStage, handle: PodHandle): Script {
  const change = (to: (state: ContainerState) => ContainerState): boolean =>
    stage.write(handle, { phase: 'Pending', init: first(handle.pod.init, to) });
  for (;;) {
    if (!change((state) => ended(state, stage.now(), 'Error', 1))) return;
    yield stage.between(10, 25);
    if (!change((state) => backOff(state, stage.now()))) return;
    stage.event(handle, 'Warning', 'BackOff', `Back-off restarting failed container ${handle.pod.app.init ?? ''}`);
    yield stage.between(30, 80);
    if (!change((state) => running(state, stage.now(), false))) return;
    yield stage.between(4, 10);
  }
}

/** Runs the pod with a failing readiness probe, which succeeds only for short moments. */
function* isNotReady(stage: PodStage, handle: PodHandle): Script {
  for (;;) {
    for (const ready of [false, true]) {
      const containers = first(handle.pod.containers, (state) => ({
        ...running(state, state.is === 'running' ? state.since : stage.now(), ready),
      }));
      if (!stage.write(handle, { phase: 'Running', containers })) return;
      if (!ready) {
        stage.event(handle, 'Warning', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503');
      }
      yield ready ? stage.between(5, 10) : stage.between(60, 180);
    }
  }
}

/** Repeats a message that something is missing. */
function* lacks(stage: PodStage, handle: PodHandle, change: Partial<DemoPod>, reason: string, message: string): Script {
  if (!stage.write(handle, change)) return;
  while (!handle.isLeaving) {
    stage.event(handle, 'Warning', reason, message);
    yield stage.between(30, 60);
  }
}

/**
 * Returns the script of a pod with trouble, which starts once the pod has a node, if it gets one.
 */
export function troubleScript(trouble: Trouble, stage: PodStage, handle: PodHandle): Script | undefined {
  const { app, containers } = handle.pod;
  switch (trouble) {
    case 'crash-loop':
      return crashes(stage, handle, { reason: 'Error', exitCode: 1, serves: false });
    case 'out-of-memory':
      return crashes(stage, handle, { reason: 'OOMKilled', exitCode: 137, serves: true });
    case 'image-pull':
      return findsNoImage(stage, handle);
    case 'init-error':
      return cannotInitialize(stage, handle);
    case 'not-ready':
      return isNotReady(stage, handle);
    case 'no-config': {
      const message = `secret "${app.name}-smtp" not found`;
      const waiting = first(containers, (state) => ({
        ...state,
        is: 'waiting',
        reason: 'CreateContainerConfigError',
        message,
        ready: false,
      }));
      return lacks(stage, handle, { phase: 'Pending', containers: waiting }, 'Failed', `Error: ${message}`);
    }
    case 'unschedulable': {
      const message =
        '0 nodes are available: Insufficient nvidia.com/gpu. preemption: No preemption victims found for incoming pod.';
      const nowhere = { phase: 'Pending', node: undefined, init: [], containers: [], unschedulable: message } as const;
      return lacks(stage, handle, nowhere, 'FailedScheduling', message);
    }
    case 'stuck-terminating':
    case 'evicted':
      // These states do not change. The cluster starts with them.
      return undefined;
  }
  return trouble satisfies never;
}
