import { pods as podResource } from 'rx-informers';
import type { App } from './apps.js';
import type { Ground } from './ground.js';
import { imageOf, isReady, type DemoPod, type Json, type Owner } from './objects.js';
import { comesUp, containersOf, ended, initOf, running, troubleScript, type Script } from './pod-scripts.js';
import {
  apiVersion,
  companions,
  replicaSetObject,
  workloadObject,
  type Counts,
  type PodHandle,
  type PodSet,
  type Workload,
} from './workloads.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const resources = {
  Deployment: { group: 'apps', plural: 'deployments' },
  StatefulSet: { group: 'apps', plural: 'statefulsets' },
  DaemonSet: { group: 'apps', plural: 'daemonsets' },
} as const;

/** The controllers of the demo's workloads. They also follow changes by the user. */
export class Controllers {
  readonly workloads: Workload[] = [];

  constructor(private readonly ground: Ground) {
    ground.onReadiness = (pod) => {
      this.#readinessChanged(pod);
    };
  }

  seedWorkload(app: App, replicas: number): void {
    const now = this.ground.now();
    const createdAt = now - this.ground.between(2, 120) * day;
    const writtenAt = now - this.ground.between(0.2, 40) * hour;
    const workload: Workload = {
      app,
      createdAt,
      uid: '',
      replicas,
      sets: [],
      writer: 'helm',
      writtenAt,
      isMoving: false,
    };
    const revision = 2 + Math.floor(this.ground.random() * 30);
    this.ground.apply(...companions(app, createdAt));
    const counts = { total: 0, ready: 0, updated: 0 };
    const [stored] = this.ground.apply(workloadObject(workload, counts, now));
    const known = { ...workload, uid: stored?.metadata.uid ?? '' };
    known.sets = [this.#newSet(known, imageOf(app), { revision, createdAt: Math.max(createdAt, writtenAt) })];
    this.workloads.push(known);
    const [set] = known.sets;
    if (set === undefined) return;
    for (let index = 0; index < replicas; index += 1) this.#seedPod(known, set, index);
    set.desired = replicas;
    this.#writeStatus(known, set);
  }

  #seedPod(workload: Workload, set: PodSet, index: number): void {
    const { app } = workload;
    const createdAt = Math.min(this.ground.now() - minute, set.createdAt + this.ground.between(0, 40) * 1000);
    const pod = this.newPod(workload, set, createdAt);
    const node = pod.node ?? this.ground.schedule({ pod, isLeaving: false });
    const since = createdAt + 20_000;
    const init = initOf(pod, createdAt).map((state) => ended(state, createdAt + 8000, 'Completed', 0));
    const containers = containersOf(pod, createdAt).map((state) => ({
      ...running(state, since, true),
      ...this.#oldRestarts(since),
    }));
    const handle: PodHandle = {
      pod: { ...pod, node, ip: this.ground.address(), phase: 'Running', init, containers },
      isLeaving: false,
    };
    set.pods.set(pod.name, handle);
    this.ground.applyPod(handle);
    if (app.trouble !== undefined && index < (app.troubled ?? app.weight)) this.#trouble(handle);
  }

  /** Returns the restarts of a new pod. One pod in ten has a past restart. */
  #oldRestarts(since: number): Pick<DemoPod['containers'][number], 'restarts' | 'last'> {
    if (this.ground.random() > 0.1) return { restarts: 0 };
    const at = since + this.ground.random() * (this.ground.now() - since) * 0.9;
    return { restarts: 1 + Math.floor(this.ground.random() * 3), last: { reason: 'Error', exitCode: 1, at } };
  }

  #trouble(handle: PodHandle): void {
    const { trouble } = handle.pod.app;
    const script = trouble && troubleScript(trouble, this.ground, handle);
    // Runs the first step now, so that the trouble is visible from the beginning.
    if (script) this.ground.advance(script);
  }

  rollOut(workload: Workload, image: string, how: { readonly writer: string; readonly isBroken?: boolean }): void {
    const revision = Math.max(0, ...workload.sets.map((set) => set.revision)) + 1;
    const known = workload.sets.find(
      (set) => set.image === image && workload.app.kind === 'Deployment' && workload.restartedAt === undefined,
    );
    const set = known
      ? { ...known, revision }
      : this.#newSet(workload, image, { revision, createdAt: this.ground.now(), isBroken: how.isBroken ?? false });
    workload.sets = [set, ...workload.sets.filter((other) => other !== known)];
    workload.writer = how.writer;
    workload.writtenAt = this.ground.now();
    this.#writeStatus(workload, set);
    this.#move(workload);
  }

  replace(handle: PodHandle, { sets }: { readonly sets: readonly PodSet[] }): void {
    this.#stop(
      handle,
      sets.find(({ pods }) => pods.has(handle.pod.name)),
    );
  }

  /** Returns a healthy pod of a workload without trouble. */
  anyPod(): { readonly handle: PodHandle; readonly workload: Workload } | undefined {
    const workload = this.ground.pick(this.workloads);
    const pods = [...(workload.sets[0]?.pods.values() ?? [])];
    const handle = pods.length === 0 ? undefined : this.ground.pick(pods);
    if (handle === undefined || handle.isLeaving || workload.app.trouble || !isReady(handle.pod)) return undefined;
    return { handle, workload };
  }

  follow(workload: Workload): void {
    const { app } = workload;
    if (app.kind === 'Job') return;
    const stored = this.ground.server.objects.get<StoredWorkload>(resources[app.kind], app.name, app.namespace);
    if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) {
      this.workloads.splice(this.workloads.indexOf(workload), 1);
      for (const set of workload.sets) for (const handle of set.pods.values()) handle.isLeaving = true;
      return;
    }
    for (const set of workload.sets)
      for (const handle of [...set.pods.values()]) this.#followPod(workload, set, handle);
    const { replicas = workload.replicas, template } = stored.spec ?? {};
    const restartedAt = template?.metadata?.annotations?.['kubectl.kubernetes.io/restartedAt'];
    const image = template?.spec?.containers?.[0]?.image ?? imageOf(app);
    if (replicas !== workload.replicas && app.kind !== 'DaemonSet') {
      workload.replicas = replicas;
      this.#move(workload);
    }
    if (restartedAt !== workload.restartedAt || image !== workload.sets[0]?.image) {
      workload.restartedAt = restartedAt;
      this.rollOut(workload, image, { writer: 'kubectl' });
    }
  }

  #followPod(workload: Workload, set: PodSet, handle: PodHandle): void {
    if (handle.isLeaving) return;
    const { name, app } = handle.pod;
    const stored = this.ground.server.objects.get(podResource, name, app.namespace);
    if (stored?.metadata.deletionTimestamp !== undefined) this.#stop(handle, set);
    if (stored !== undefined) return;
    handle.isLeaving = true;
    set.pods.delete(name);
    this.#move(workload);
  }

  #newSet(
    { app, uid }: Workload,
    image: string,
    how: { readonly revision: number; readonly createdAt: number; readonly isBroken?: boolean },
  ): PodSet {
    const base = {
      image,
      revision: how.revision,
      createdAt: how.createdAt,
      pods: new Map<string, PodHandle>(),
      desired: 0,
      isBroken: how.isBroken ?? false,
    };
    if (app.kind !== 'Deployment') {
      const labels = { 'controller-revision-hash': this.ground.suffix(10) };
      return { ...base, owner: { apiVersion, kind: app.kind, name: app.name, uid, labels } };
    }
    const hash = this.ground.suffix(10);
    const name = `${app.name}-${hash}`;
    const owner: Owner = { apiVersion, kind: 'ReplicaSet', name, uid: '', labels: { 'pod-template-hash': hash } };
    const [stored] = this.ground.apply(
      replicaSetObject({ app, uid, createdAt: how.createdAt } as Workload, { ...base, owner }, none, this.ground.now()),
    );
    return { ...base, owner: { ...owner, uid: stored?.metadata.uid ?? '' } };
  }

  #move(workload: Workload): void {
    if (workload.isMoving) return;
    workload.isMoving = true;
    this.ground.start(0.2, this.#converges(workload));
  }

  /**
   * Moves a workload to its wanted template: starts new pods and stops old ones, a quarter at a
   * time.
   */
  *#converges(workload: Workload): Script {
    const startedAt = this.ground.now();
    for (;;) {
      const [target, ...older] = workload.sets;
      if (target === undefined || !this.workloads.includes(workload)) return;
      const { replicas } = workload;
      const old = older.flatMap((set) =>
        [...set.pods.values()].filter(({ isLeaving }) => !isLeaving).map((handle) => ({ set, handle })),
      );
      const own = [...target.pods.values()].filter(({ isLeaving }) => !isLeaving);
      const ready = [...own, ...old.map(({ handle }) => handle)].filter(({ pod }) => isReady(pod)).length;
      const surge = workload.app.kind === 'Deployment' ? Math.ceil(replicas / 4) : 0;
      const spare = workload.app.kind === 'Deployment' ? Math.floor(replicas / 4) : 1;
      const canStart = own.length < replicas && own.length + old.length < replicas + surge && this.#hasPlace(workload);
      const [outdated] = old.sort((a, b) => Number(isReady(a.handle.pod)) - Number(isReady(b.handle.pod)));
      if (own.length > replicas) this.#stop(own.at(-1), target);
      else if (canStart) this.#create(workload, target);
      else if (outdated && (ready > replicas - spare || !isReady(outdated.handle.pod)))
        this.#stop(outdated.handle, outdated.set);
      else if (own.length === replicas && old.length === 0 && (ready === replicas || workload.app.trouble)) break;
      else if (target.isBroken && this.ground.now() - startedAt > 75_000) {
        const [previous] = older;
        if (previous) this.rollOut(workload, previous.image, { writer: 'argocd-controller' });
      }
      this.#writeStatus(workload, target);
      yield this.ground.between(0.3, 1.2);
    }
    workload.isMoving = false;
    // A Deployment keeps a few old ReplicaSets for a rollback.
    for (const set of workload.sets.splice(3)) this.#removeSet(workload, set);
    const [target] = workload.sets;
    if (target) this.#writeStatus(workload, target);
  }

  #hasPlace({ app, sets, replicas }: Workload): boolean {
    if (app.kind !== 'StatefulSet' && app.kind !== 'DaemonSet') return true;
    return sets.reduce((sum, set) => sum + set.pods.size, 0) < replicas;
  }

  #create(workload: Workload, set: PodSet): void {
    const handle: PodHandle = { pod: this.newPod(workload, set, this.ground.now()), isLeaving: false };
    set.pods.set(handle.pod.name, handle);
    set.desired = Math.max(set.desired, set.pods.size);
    this.ground.applyPod(handle);
    const { owner, name } = handle.pod;
    this.ground.record(
      { kind: owner.kind, apiVersion, name: owner.name, namespace: workload.app.namespace, uid: owner.uid },
      'Normal',
      'SuccessfulCreate',
      `Created pod: ${name}`,
    );
    this.ground.start(0, this.#lifecycle(workload, set, handle));
  }

  *#lifecycle(workload: Workload, set: PodSet, handle: PodHandle): Script {
    const { app } = workload;
    const troubled = [...set.pods.values()].filter(({ pod }) => !isReady(pod)).length <= (app.troubled ?? app.weight);
    if (app.trouble === 'unschedulable') yield 0.5;
    else yield* comesUp(this.ground, handle);
    const trouble = set.isBroken ? 'crash-loop' : troubled ? app.trouble : undefined;
    const script = trouble && troubleScript(trouble, this.ground, handle);
    if (script) yield* script;
  }

  /**
   * Stops a pod as a user sees it: the pod terminates for some seconds, is removed, and is
   * replaced.
   */
  #stop(handle: PodHandle | undefined, set: PodSet | undefined): void {
    if (handle === undefined || set === undefined || handle.isLeaving) return;
    set.desired = Math.max(0, set.desired - 1);
    this.ground.start(0, this.#leaves(handle, set));
    handle.isLeaving = true;
  }

  *#leaves(handle: PodHandle, set: PodSet | undefined): Script {
    const { app, name } = handle.pod;
    handle.pod = { ...handle.pod, deletedAt: this.ground.now() + 30_000 };
    if (this.ground.isStored(handle)) this.ground.applyPod(handle);
    this.ground.event(handle, 'Normal', 'Killing', `Stopping container ${app.name}`);
    yield this.ground.between(2, 8);
    this.ground.remove('', 'pods', name, app.namespace);
    set?.pods.delete(name);
    const workload = this.workloads.find((known) => known.sets.some((other) => other === set));
    if (workload) this.#move(workload);
  }

  #removeSet({ app }: Workload, set: PodSet): void {
    if (app.kind !== 'Deployment') return;
    this.ground.remove('apps', 'replicasets', set.owner.name, app.namespace);
  }

  newPod(workload: Workload, set: PodSet, createdAt: number): DemoPod {
    const { app } = workload;
    const base = {
      app,
      owner: set.owner,
      image: set.image,
      createdAt,
      phase: 'Pending',
      init: [],
      containers: [],
    } as const;
    const used = new Set(workload.sets.flatMap(({ pods }) => [...pods.keys()]));
    if (app.kind === 'StatefulSet') {
      let ordinal = 0;
      while (used.has(`${app.name}-${ordinal}`)) ordinal += 1;
      const name = `${app.name}-${ordinal}`;
      const labels = { ...set.owner.labels, 'statefulset.kubernetes.io/pod-name': name };
      return { ...base, owner: { ...set.owner, labels }, name };
    }
    const name = `${set.owner.name}-${this.ground.suffix(5)}`;
    if (app.kind !== 'DaemonSet') return { ...base, name };
    const taken = new Set(workload.sets.flatMap(({ pods }) => [...pods.values()].map(({ pod }) => pod.node)));
    return {
      ...base,
      name,
      node: this.ground.nodes.find((node) => !taken.has(node.name))?.name ?? this.ground.pick(this.ground.nodes).name,
    };
  }

  #readinessChanged({ owner, app }: DemoPod): void {
    this.ground.later(`status/${app.namespace}/${owner.name}`, () => {
      const workload = this.workloads.find(
        (known) => known.app.name === app.name && known.app.namespace === app.namespace,
      );
      const set = workload?.sets.find((known) => known.owner.name === owner.name);
      if (workload && set) this.#writeStatus(workload, set);
    });
  }

  #writeStatus(workload: Workload, set: PodSet): void {
    const { app, sets } = workload;
    const key = `${app.namespace}/${app.name}`;
    this.ground.later(`workload/${key}`, () => {
      const all = sets.map(countsOf);
      const [target = none] = all;
      const sum = (of: (counts: Counts) => number): number => all.reduce((total, counts) => total + of(counts), 0);
      const counts = { total: sum(({ total }) => total), ready: sum(({ ready }) => ready), updated: target.total };
      if (!this.workloads.includes(workload) || app.kind === 'Job') return;
      const stored = this.ground.server.objects.get<StoredWorkload>(resources[app.kind], app.name, app.namespace);
      if (stored) this.ground.apply(withUsersEdits(workloadObject(workload, counts, this.ground.now()), stored));
    });
    if (app.kind !== 'Deployment') return;
    for (const own of sets.includes(set) ? sets : [set, ...sets]) {
      this.ground.later(`set/${app.namespace}/${own.owner.name}`, () => {
        if (!this.workloads.includes(workload) || !workload.sets.includes(own)) return;
        own.desired = own === workload.sets[0] ? workload.replicas : countsOf(own).total;
        this.ground.apply(replicaSetObject(workload, own, countsOf(own), this.ground.now()));
      });
    }
  }
}

const none: Counts = { total: 0, ready: 0, updated: 0 };

interface StoredWorkload {
  readonly metadata: {
    readonly deletionTimestamp?: string;
    readonly labels?: Json;
    readonly annotations?: Json;
    readonly managedFields?: readonly { readonly manager: string }[];
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
    };
  };
}

function countsOf({ pods }: PodSet): Counts {
  const present = [...pods.values()].filter(({ isLeaving }) => !isLeaving);
  return { total: present.length, ready: present.filter(({ pod }) => isReady(pod)).length, updated: present.length };
}

const controllers: ReadonlySet<string> = new Set(['helm', 'argocd-controller', 'kube-controller-manager']);

/** Returns the object of a controller, combined with the user's edits. */
function withUsersEdits(object: Json, stored: StoredWorkload): Json {
  const { metadata, spec } = object as {
    readonly metadata: StoredWorkload['metadata'];
    readonly spec: StoredWorkload['spec'];
  };
  const users = (stored.metadata.managedFields ?? []).filter(({ manager }) => !controllers.has(manager));
  const image = (of: StoredWorkload['spec']): string | undefined => of?.template?.spec?.containers?.[0]?.image;
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...stored.metadata.labels, ...metadata.labels },
      annotations: { ...stored.metadata.annotations, ...metadata.annotations },
      managedFields: [...users, ...(metadata.managedFields ?? [])],
    },
    // A template that the user edited stays until another image is rolled out.
    spec: image(spec) === image(stored.spec) ? { ...spec, template: stored.spec?.template } : spec,
  };
}
