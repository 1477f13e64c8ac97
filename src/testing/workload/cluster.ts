import { EMPTY, catchError } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import type { Pod } from '../../kubernetes/resources/everyday.js';
import type { InMemoryApiServer } from '../api-server/in-memory-api-server.js';
import type { OwnerLike } from '../factories/object-meta.js';
import { aDeployment, aReplicaSet, aNamespace, aNode, aPod } from '../factories/objects.js';

export interface ClusterOptions {
  readonly nodes: number;
  readonly namespaces: readonly string[];
  readonly apps: readonly string[];
  readonly pods: number;
  readonly random: () => number;
}

type PodStep = Exclude<WorkloadStep['type'], 'seeded'>;

/** The zones, which are assigned to the nodes in turn. */
const zones = ['zone-a', 'zone-b', 'zone-c'];
const nodeCapacity = { cpu: '16', memory: '64Gi' };
/** The CPU requests of pods, which are assigned to the apps in turn. */
const cpuRequests = ['250m', '500m', '100m', '50m'];

const alphabet = Array.from('bcdfghjklmnpqrstvwxz2456789');

/** The nodes, apps and pods of a workload. `step` makes the next change. */
export class Cluster {
  readonly #nodes: readonly string[];
  #apps: readonly App[] = [];
  readonly #pods = new Map<string, PodRecord>();

  constructor(
    private readonly server: Pick<InMemoryApiServer, 'apply' | 'remove' | 'client'>,
    private readonly options: ClusterOptions,
  ) {
    this.#nodes = Array.from({ length: Math.max(1, options.nodes) }, (_, index) => `worker-${index + 1}`);
  }

  seed(): WorkloadStep {
    const { namespaces, apps, pods } = this.options;
    this.server.apply(
      this.#nodes.map((name, index) => aNode({ name, zone: zones[index % zones.length], capacity: nodeCapacity })),
    );
    this.server.apply(namespaces.map((name) => aNamespace({ name })));
    this.#apps = namespaces.flatMap((namespace) =>
      apps.map((name, index) =>
        this.#seedApp(namespace, name, { cpu: cpuRequests[index % cpuRequests.length] as string }),
      ),
    );
    if (this.#apps.length === 0)
      throw invalidOptionError('a workload', this.options, 'of at least one namespace and one app');
    for (let index = 0; index < pods; index += 1) {
      const app = this.#apps[index % this.#apps.length] as App;
      this.#put('started', { app, name: this.#newName(app), stage: 'running', node: this.#anyNode(), restarts: 0 });
    }
    return { type: 'seeded', nodes: this.#nodes.length, pods: this.#pods.size };
  }

  /** Makes one change. Most often it advances a pod that is starting or terminating. */
  step(): WorkloadStep {
    const pods = [...this.#pods.values()];
    const moving = pods.filter(({ stage }) => stage !== 'running');
    if (moving.length > 0 && this.options.random() < 0.7) return this.#moveOn(this.#pick(moving));
    if (pods.length < Math.max(1, this.options.pods)) return this.#create();
    const running = pods.filter(({ stage }) => stage === 'running');
    return this.#moveOn(this.#pick(running.length > 0 ? running : moving));
  }

  #seedApp(namespace: string, name: string, requests: App['requests']): App {
    const { pods, namespaces, apps } = this.options;
    const replicas = Math.ceil(pods / (namespaces.length * apps.length));
    const [deployment] = this.server.apply(aDeployment({ name, namespace, replicas, requests }));
    const replicaSetName = `${name}-${this.#suffix(8)}`;
    const [replicaSet] = this.server.apply(
      aReplicaSet({ name: replicaSetName, namespace, replicas, selector: { app: name }, requests, owner: deployment }),
    );
    if (replicaSet === undefined)
      throw new Error(`the server did not store the ReplicaSet ${namespace}/${replicaSetName}`);
    return { namespace, name, replicaSet, requests };
  }

  #moveOn(pod: PodRecord): WorkloadStep {
    switch (pod.stage) {
      case 'pending':
        return this.#put('scheduled', { ...pod, stage: 'scheduled', node: this.#anyNode() });
      case 'scheduled':
        return this.#put('started', { ...pod, stage: 'running' });
      case 'running':
        return this.#disturb(pod);
      case 'finished':
      case 'terminating':
        return this.#remove(pod);
    }
    return pod.stage satisfies never;
  }

  #disturb(pod: PodRecord): WorkloadStep {
    const chance = this.options.random();
    if (chance < 0.4) return this.#put('restarted', { ...pod, restarts: pod.restarts + 1 });
    if (chance < 0.55) return this.#put('finished', { ...pod, stage: 'finished' });
    return this.#terminate(pod);
  }

  #create(): WorkloadStep {
    const app = this.#smallestApp();
    return this.#put('created', { app, name: this.#newName(app), stage: 'pending', restarts: 0 });
  }

  #put(type: PodStep, pod: PodRecord): WorkloadStep {
    this.#pods.set(keyOf(pod), pod);
    this.server.apply(podOf(pod));
    return stepOf(type, pod);
  }

  /** Deletes a pod as a user does, so that it terminates during its grace period. */
  #terminate(pod: PodRecord): WorkloadStep {
    this.#pods.set(keyOf(pod), { ...pod, stage: 'terminating' });
    const path = `/api/v1/namespaces/${pod.app.namespace}/pods/${pod.name}`;
    // The error is ignored, because another client may have already deleted the pod.
    this.server.client
      .exchange({ method: 'DELETE', path })
      .pipe(catchError(() => EMPTY))
      .subscribe();
    return stepOf('terminating', pod);
  }

  #remove(pod: PodRecord): WorkloadStep {
    this.server.remove({ group: '', plural: 'pods' }, pod.name, pod.app.namespace);
    this.#pods.delete(keyOf(pod));
    return stepOf('deleted', pod);
  }

  #smallestApp(): App {
    const sizes = new Map(this.#apps.map((app) => [app, 0]));
    for (const { app } of this.#pods.values()) sizes.set(app, (sizes.get(app) ?? 0) + 1);
    return [...sizes].reduce((smallest, next) => (next[1] < smallest[1] ? next : smallest))[0];
  }

  #newName({ replicaSet }: App): string {
    return `${replicaSet.metadata.name}-${this.#suffix(5)}`;
  }

  #suffix(length: number): string {
    return Array.from({ length }, () => this.#pick(alphabet)).join('');
  }

  #anyNode(): string {
    return this.#pick(this.#nodes);
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.options.random() * items.length)] as T;
  }
}

function keyOf({ app, name }: PodRecord): string {
  return `${app.namespace}/${name}`;
}

function stepOf(type: PodStep, { app, name, node }: PodRecord): WorkloadStep {
  return { type, namespace: app.namespace, name, node };
}

/** A step of the workload: the creation of the cluster, or one change to it. */
export type WorkloadStep =
  | { readonly type: 'seeded'; readonly nodes: number; readonly pods: number }
  | {
      readonly type: 'created' | 'scheduled' | 'started' | 'restarted' | 'finished' | 'terminating' | 'deleted';
      readonly namespace: string;
      readonly name: string;
      /** The node of the pod; `undefined` until the pod is scheduled. */
      readonly node: string | undefined;
    };

/** A Deployment, its ReplicaSet, and the pods that the workload creates for it. */
export interface App {
  readonly namespace: string;
  readonly name: string;
  readonly replicaSet: OwnerLike;
  /** The resource requests of each pod of the app. */
  readonly requests: Readonly<Record<string, string>>;
}

/** The state of a pod in the workload. */
export interface PodRecord {
  readonly app: App;
  readonly name: string;
  readonly stage: 'pending' | 'scheduled' | 'running' | 'finished' | 'terminating';
  readonly node?: string;
  readonly restarts: number;
}

const phases = {
  pending: 'Pending',
  scheduled: 'Pending',
  running: 'Running',
  finished: 'Succeeded',
  terminating: 'Running',
} as const;

function podOf({ app, name, stage, node, restarts }: PodRecord): Pod {
  return aPod({
    name,
    namespace: app.namespace,
    labels: { app: app.name },
    node,
    phase: phases[stage],
    ready: stage === 'running',
    restarts,
    requests: app.requests,
    owner: app.replicaSet,
  });
}
