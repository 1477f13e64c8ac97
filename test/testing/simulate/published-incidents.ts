import { configMaps, informer, type ConfigMap } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import type { InMemoryApiServer, ServerObjects } from 'rx-informers/testing';
import {
  asyncScheduler,
  concat,
  EMPTY,
  filter,
  map,
  mergeMap,
  switchMap,
  take,
  tap,
  timeout,
  timer,
  type Observable,
} from 'rxjs';
import {
  atMostOneChild,
  childOf,
  createOnce,
  hasChild,
  hasOneChildEach,
  named,
  namespace,
  parent,
  parentsOf,
  reconcileParents,
  withoutName,
  withRole,
  type PlantedBug,
  type World,
} from './planted-bugs.js';

/*
 * Incidents that operators have published, as controllers of some lines over ConfigMaps. Each has
 * the cause of the incident, not the code of the operator.
 */

const keyOf = (name: string): string => `${namespace}/${name}`;
const dataOf = (object: ConfigMap | undefined, field: string): string | undefined => object?.data?.[field];

/**
 * The controller waits 10 s for the cache to show the MachineSet that it has created. After that it
 * tries again, and creates another one.
 */
const duplicateMachineSets: PlantedBug = {
  buggy: {
    start: reconcileParents((each, world, { scheduler }) => {
      if (hasChild(world, each)) return undefined;
      const metadata = { namespace, generateName: `${each.metadata.name}-`, labels: childOf(each) };
      return world.objects.create({ metadata }).pipe(
        switchMap((created) =>
          world.cache.changes$.pipe(
            filter(() => world.cache.has(keyOf(created.metadata.name))),
            take(1),
            timeout({ first: 10_000, scheduler }),
          ),
        ),
      );
    }),
    user: [({ apply }) => apply(parent('web'))],
    invariants: { 'a MachineDeployment has at most one MachineSet': atMostOneChild },
    goal: hasOneChildEach,
    normalize: withoutName,
  },
  get corrected() {
    return {
      ...this.buggy,
      start: reconcileParents((each, world) =>
        hasChild(world, each) ? undefined : createOnce(world, `${each.metadata.name}-set`, childOf(each)),
      ),
    };
  },
};

const replicasOf = (each: ConfigMap): number => Number(dataOf(each, 'replicas'));

/** The number of missing pods is counted in the cache, which does not show the last ones yet. */
const tooManyPods: PlantedBug = {
  buggy: {
    start: reconcileParents((each, world) => {
      const missing = replicasOf(each) - world.cache.list(`parent=${each.metadata.name}`).length;
      const metadata = { namespace, generateName: `${each.metadata.name}-`, labels: childOf(each) };
      return concat(...Array.from({ length: Math.max(0, missing) }, () => world.objects.create({ metadata })));
    }),
    user: ['2', '3'].map(
      (replicas) =>
        ({ apply }) =>
          apply(parent('ray', { replicas })),
    ),
    invariants: {
      'there are no more pods than replicas': (objects) =>
        parentsOf(objects).every((each) => withRole(objects, 'child').length <= replicasOf(each)),
    },
    goal: (objects) => withRole(objects, 'child').length === 3,
    normalize: withoutName,
  },
  get corrected() {
    return {
      ...this.buggy,
      start: reconcileParents((each, world) => {
        const names = Array.from({ length: replicasOf(each) }, (_, index) => `${each.metadata.name}-${index}`);
        const missing = names.filter((name) => !world.cache.has(keyOf(name)));
        return concat(...missing.map((name) => createOnce(world, name, childOf(each))));
      }),
    };
  },
};

/** A finalizer that another program removes a second after the deletion, as a kubelet does. */
const finalizer = 'example.com/kubelet';
const kubelet = ({ client }: InMemoryApiServer) => {
  const { scheduler = asyncScheduler } = client;
  const written = resourceClient(client, configMaps);
  return informer(client, configMaps, { namespace, labelSelector: 'role=pod' })
    .changes$.pipe(
      mergeMap(({ changes }) => changes),
      filter(({ type, object }) => type !== 'deleted' && object.metadata.deletionTimestamp !== undefined),
      mergeMap(({ key }) =>
        timer(1_000, scheduler).pipe(switchMap(() => written.patch(key, { metadata: { finalizers: null } }))),
      ),
    )
    .subscribe({ error: () => undefined });
};
const hasPod = (objects: ServerObjects): boolean => withRole(objects, 'pod').length > 0;

/** The volume of a pod is deleted if the controller sees the pod while it is being deleted. */
const volumeOfMissedDeletion: PlantedBug = (() => {
  const program = (isUnused: (world: World) => boolean): PlantedBug['buggy'] => ({
    setup: kubelet,
    start: reconcileParents((_, world) => {
      if (!world.cache.has(keyOf('volume')) || !isUnused(world)) return undefined;
      return world.objects.delete(keyOf('volume'));
    }),
    user: [
      ({ apply }) => {
        const pod = named('pod', { role: 'pod', parent: 'cassandra' });
        const withFinalizer = { ...pod, metadata: { ...pod.metadata, finalizers: [finalizer] } };
        return apply([withFinalizer, named('volume', { role: 'volume' }), parent('cassandra')]);
      },
      ({ client }) => resourceClient(client, configMaps).delete(keyOf('pod')),
    ],
    goal: (objects) => hasPod(objects) === withRole(objects, 'volume').length > 0,
  });
  const pod = ({ cache }: World): ConfigMap | undefined => cache.get(keyOf('pod'));
  return {
    buggy: program((world) => pod(world)?.metadata.deletionTimestamp !== undefined),
    corrected: program((world) => pod(world)?.metadata.deletionTimestamp !== undefined || pod(world) === undefined),
  };
})();

/**
 * The size of the volume is changed after the StatefulSet was deleted, if the StatefulSet has
 * another size than the spec. After a crash in between, the new StatefulSet has the right size.
 */
const volumeAfterCrash: PlantedBug = (() => {
  const program = (isCorrect: boolean): PlantedBug['buggy'] => ({
    start: reconcileParents((each, world) => {
      const size = dataOf(each, 'size') ?? '';
      const [set, volume] = ['set', 'volume'].map((name) => world.cache.get(keyOf(name)));
      const labels = { parent: each.metadata.name };
      const resize = (): unknown => world.objects.patch(keyOf('volume'), { data: { size } });
      if (volume === undefined) return createOnce(world, 'volume', { role: 'volume', ...labels }, { size });
      if (isCorrect && dataOf(volume, 'size') !== size) return resize();
      if (set === undefined) return createOnce(world, 'set', { role: 'set', ...labels }, { size });
      if (dataOf(set, 'size') === size) return undefined;
      const remove = world.objects.delete(keyOf('set'));
      return isCorrect ? remove : concat(remove, world.objects.patch(keyOf('volume'), { data: { size } }));
    }),
    user: ['10Gi', '15Gi'].map(
      (size) =>
        ({ apply }) =>
          apply(parent('rabbit', { size })),
    ),
    goal: (objects) => {
      const sizes = ['set', 'volume'].map((role) => dataOf(withRole(objects, role)[0], 'size'));
      return sizes.every((size) => size === '15Gi');
    },
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The StatefulSet of three nodes: it replaces a deleted node after 5 s. */
const threeNodes = ({ client, apply, objects }: InMemoryApiServer) => {
  const { scheduler = asyncScheduler } = client;
  const node = (name: string) => {
    const version = dataOf(objects.get<ConfigMap>(configMaps, 'search', namespace), 'version') ?? '1';
    return named(name, { role: 'node', parent: 'search' }, { version });
  };
  apply([...['n0', 'n1', 'n2'].map(node), parent('search', { version: '1' })]);
  return informer(client, configMaps, { namespace, labelSelector: 'role=node' })
    .changes$.pipe(
      mergeMap(({ changes }) => changes.filter(({ type }) => type === 'deleted')),
      mergeMap(({ object }) => timer(5_000, scheduler).pipe(map(() => object.metadata.name))),
    )
    .subscribe((name) => void apply(node(name)));
};

/**
 * The nodes are restarted one after the other: the next one if all nodes are there. But the cache
 * may still show the last one, which is gone.
 */
const lostQuorum: PlantedBug = (() => {
  const program = (isCorrect: boolean): PlantedBug['buggy'] => ({
    setup: threeNodes,
    start: reconcileParents((each, { cache, objects }, { scheduler }) => {
      const restarted = new Set<string>();
      const restart = (): Observable<unknown> => {
        const nodes = cache.list('role=node');
        const isOutdated = (node: ConfigMap): boolean => dataOf(node, 'version') !== dataOf(each, 'version');
        const next = nodes.find((node) => isOutdated(node) && !restarted.has(node.metadata.name));
        if (nodes.every((node) => !isOutdated(node))) return EMPTY;
        if (nodes.length < 3 || next === undefined) return timer(1_000, scheduler).pipe(switchMap(restart));
        const { name, uid } = next.metadata;
        const isGone = (): boolean => cache.get(keyOf(name))?.metadata.uid !== uid;
        const shown$ = cache.changes$.pipe(filter(isGone), take(1));
        return concat(
          objects.delete(next).pipe(tap(() => restarted.add(name))),
          isCorrect ? shown$ : EMPTY,
          timer(1_000, scheduler).pipe(switchMap(restart)),
        );
      };
      return restart();
    }),
    user: [({ apply }) => apply(parent('search', { version: '2' }))],
    invariants: {
      'two of three nodes run': (objects) => parentsOf(objects).length === 0 || withRole(objects, 'node').length !== 1,
    },
    goal: (objects) => withRole(objects, 'node').filter((node) => dataOf(node, 'version') === '2').length === 3,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The incidents, by the address of their issue at github.com. */
export const publishedIncidents = {
  'kubernetes-sigs/cluster-api#13649': duplicateMachineSets,
  'ray-project/kuberay#715': tooManyPods,
  'instaclustr/cassandra-operator#398': volumeOfMissedDeletion,
  'rabbitmq/cluster-operator#782': volumeAfterCrash,
  'opensearch-project/opensearch-k8s-operator#1471': lostQuorum,
} satisfies Readonly<Record<string, PlantedBug>>;
