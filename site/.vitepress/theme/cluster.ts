/** A pod of the cluster on the landing page, with the fields that the page reads. */
export interface DemoPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly phase: 'Pending' | 'Running' | 'Failed' };
}

export interface DemoEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: DemoPod;
}

export const nodes = ['worker-1', 'worker-2', 'worker-3'] as const;
const apps = ['web', 'api', 'cart', 'search', 'mail'] as const;
const podsAtFirst = 21;
const maxPods = 27;

/**
 * A cluster in which every step produces an event. The same seed always produces the same history.
 */
export interface DemoCluster {
  readonly pods: ReadonlyMap<string, DemoPod>;
  readonly version: () => string;
  step(): DemoEvent;
}

export function demoCluster(seed = 7): DemoCluster {
  const random = randomNumbers(seed);
  const pods = new Map<string, DemoPod>();
  let version = 100;
  const next = (): string => String((version += 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const put = (pod: DemoPod): DemoPod => {
    pods.set(pod.metadata.name, pod);
    return pod;
  };
  const create = (phase: DemoPod['status']['phase']): DemoPod => {
    const resourceVersion = next();
    const name = `${pick(apps)}-${Math.floor(random() * 46_656)
      .toString(36)
      .padStart(3, '0')}${resourceVersion.slice(-1)}`;
    const metadata = { name, namespace: 'shop', uid: `uid-${resourceVersion}`, resourceVersion };
    return put({ metadata, spec: { nodeName: pick(nodes) }, status: { phase } });
  };
  const change = (pod: DemoPod, phase: DemoPod['status']['phase']): DemoPod =>
    put({ ...pod, metadata: { ...pod.metadata, resourceVersion: next() }, status: { phase } });
  for (let count = 0; count < podsAtFirst; count += 1) create('Running');

  return {
    pods,
    version: () => String(version),
    step() {
      const all = [...pods.values()];
      const waiting = all.find(({ status }) => status.phase !== 'Running');
      if (waiting !== undefined && random() < 0.6) return { type: 'MODIFIED', object: change(waiting, 'Running') };
      if (random() < (maxPods - all.length) / 14) return { type: 'ADDED', object: create('Pending') };
      const chosen = pick(all);
      if (random() < 0.25) return { type: 'MODIFIED', object: change(chosen, 'Failed') };
      pods.delete(chosen.metadata.name);
      return { type: 'DELETED', object: { ...chosen, metadata: { ...chosen.metadata, resourceVersion: next() } } };
    },
  };
}

/** Returns a random number generator by Park and Miller. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
