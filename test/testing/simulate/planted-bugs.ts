import {
  addEventHandler,
  configMaps,
  filterUpdates,
  informer,
  leases,
  type ChangeSet,
  type ConfigMap,
  type Informer,
} from 'rx-informers';
import {
  changedKeys,
  leader$,
  membership$,
  ownedKeys,
  requeueAfter,
  whereOwned,
  whileLeading,
  whileOwned,
  workqueue,
} from 'rx-informers/controller';
import { resourceClient, type ResourceClient, createOrUpdate } from 'rx-informers/requests';
import { aConfigMap, type ServerObjects, type SimulatedProgram, type SimulatedReplica } from 'rx-informers/testing';
import {
  catchError,
  concat,
  defer,
  delay,
  distinctUntilChanged,
  EMPTY,
  filter,
  map,
  merge,
  mergeMap,
  of,
  retry,
  Subject,
  Subscription,
  switchMap,
  take,
  tap,
  timeout,
  timer,
  type Observable,
  type ObservableInput,
} from 'rxjs';

/** A controller with one bug of a known pattern, and the same controller without it. */
export interface PlantedBug {
  readonly buggy: SimulatedProgram;
  readonly corrected: SimulatedProgram;
}

export const namespace = 'default';
export const named = (name: string, labels: Record<string, string>, data: Record<string, string> = {}): ConfigMap =>
  aConfigMap({ name, namespace, labels, data });
export const parent = (name: string, data: Record<string, string> = {}): ConfigMap =>
  named(name, { role: 'parent' }, data);
export const parentsOf = (objects: ServerObjects) => withRole(objects, 'parent');
const childrenOf = (objects: ServerObjects) => withRole(objects, 'child');
export const withRole = ({ list }: ServerObjects, role: string): readonly ConfigMap[] =>
  list(configMaps, namespace).filter(({ metadata }) => metadata.labels?.['role'] === role);

export interface World {
  readonly cache: Informer<ConfigMap>;
  readonly objects: ResourceClient<ConfigMap>;
}

/** Emits the keys of changed parents, and of the parents of changed children. */
const parentKeys = () => (changes$: Observable<ChangeSet<ConfigMap>>) =>
  changes$.pipe(
    mergeMap(({ changes }) =>
      changes.map(({ object: { metadata } }) => `${namespace}/${metadata.labels?.['parent'] ?? metadata.name}`),
    ),
  );

/** Runs `reconcile` for each parent, and again if one of its children changes. */
export function reconcileParents(
  reconcile: (parent: ConfigMap, world: World, replica: SimulatedReplica) => unknown,
): SimulatedProgram['start'] {
  return (replica) => {
    const { client, scheduler, random } = replica;
    const cache = informer(client, configMaps, { namespace });
    const world = { cache, objects: resourceClient(client, configMaps, { fieldManager: 'test' }) };
    return cache.changes$.pipe(
      parentKeys(),
      workqueue(
        (key) => {
          const found = cache.get(key);
          return found?.metadata.labels?.['role'] === 'parent' ? reconcile(found, world, replica) : undefined;
        },
        { scheduler, random },
      ),
    );
  };
}

export const childOf = ({ metadata: { name } }: ConfigMap) => ({ role: 'child', parent: name });
export const hasChild = ({ cache }: World, { metadata: { name } }: ConfigMap): boolean =>
  cache.list(`parent=${name}`).length > 0;
export const hasOneChildEach = (objects: ServerObjects): boolean =>
  parentsOf(objects).every(
    ({ metadata: { name } }) =>
      childrenOf(objects).filter(({ metadata }) => metadata.labels?.['parent'] === name).length === 1,
  );
export const atMostOneChild = (objects: ServerObjects): boolean =>
  parentsOf(objects).every(
    ({ metadata: { name } }) =>
      childrenOf(objects).filter(({ metadata }) => metadata.labels?.['parent'] === name).length <= 1,
  );
/** Creates an object; it is no failure if it exists. */
export const createOnce = (
  { objects }: Pick<World, 'objects'>,
  name: string,
  labels: Record<string, string>,
  data = {},
) =>
  objects
    .create({ metadata: { namespace, name, labels }, data })
    .pipe(catchError((error: { statusCode?: number }) => (error.statusCode === 409 ? of(undefined) : raise(error))));
const raise = (error: unknown) =>
  defer(() => {
    throw error;
  });

export const withoutName = (object: object): unknown => {
  const { metadata } = object as ConfigMap;
  return metadata.labels?.['role'] === 'child' ? metadata.labels : object;
};

/** The cache does not show the child that the last run created. */
const doubleCreate: PlantedBug = (() => {
  const program = (reconcile: (parent: ConfigMap, world: World) => unknown): SimulatedProgram => ({
    start: reconcileParents(reconcile),
    user: [({ apply }) => apply(parent('web')), ({ apply }) => apply(parent('web', { image: 'new' }))],
    invariants: { 'a parent has at most one child': atMostOneChild },
    goal: hasOneChildEach,
    normalize: withoutName,
  });
  return {
    buggy: program((each, world) => {
      if (hasChild(world, each)) return undefined;
      const metadata = { namespace, generateName: `${each.metadata.name}-`, labels: childOf(each) };
      return world.objects.create({ metadata });
    }),
    corrected: program((each, world) => {
      if (hasChild(world, each)) return undefined;
      return createOnce(world, `${each.metadata.name}-child`, childOf(each));
    }),
  };
})();

/** A port is chosen from a cache that had a second to show the last choice. */
const staleRead: PlantedBug = (() => {
  const nextPort = (used: readonly (string | undefined)[]): string => {
    for (let port = 80; ; port++) if (!used.includes(String(port))) return String(port);
  };
  const program = (
    choose: (name: string, world: World, ports: Informer<ConfigMap>) => ObservableInput<unknown>,
  ): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace, labelSelector: 'role=parent', linger: 0 });
      const ports = informer(client, configMaps, { namespace, labelSelector: 'role=port', linger: 0 });
      const objects = resourceClient(client, configMaps, { fieldManager: 'test', timeout: 300_000 });
      const running = ports.connect();
      running.add(
        cache.changes$
          .pipe(
            parentKeys(),
            workqueue(
              (key) => {
                const name = key.slice(namespace.length + 1);
                if (ports.status.state !== 'watching') return requeueAfter(1_000);
                if (ports.has(`${namespace}/port-of-${name}`)) return undefined;
                return concat(choose(name, { cache, objects }, ports), timer(1_000, scheduler));
              },
              { scheduler, random },
            ),
          )
          .subscribe(),
      );
      return running;
    },
    user: ['a', 'b', 'c'].map(
      (name) =>
        ({ apply }) =>
          apply(parent(name)),
    ),
    invariants: {
      'no two parents have the same port': (objects) => {
        const ports = withRole(objects, 'port').map(({ data }) => data?.['port']);
        return new Set(ports).size === ports.length;
      },
    },
    goal: (objects) => withRole(objects, 'port').length === parentsOf(objects).length,
    // Which parent has which port depends on the order of the runs.
    normalize: ({ metadata }) => (metadata.name === 'ports' ? undefined : metadata.name),
  });
  const create = ({ objects }: World, name: string, port: string) =>
    createOnce({ objects }, `port-of-${name}`, { role: 'port' }, { port });
  return {
    buggy: program((name, world, ports) =>
      create(world, name, nextPort(ports.list().map(({ data }) => data?.['port']))),
    ),
    corrected: program((name, world) =>
      createOrUpdate(world.objects, { metadata: { namespace, name: 'ports' } }, (draft) => {
        draft.data ??= {};
        draft.data[name] ??= nextPort(Object.values(draft.data));
      }).pipe(switchMap(({ object }) => create(world, name, object.data?.[name] ?? ''))),
    ),
  };
})();

/** Each version is counted, but some versions are never seen. */
const missedIntermediateState: PlantedBug = (() => {
  const program = (done: (each: ConfigMap) => number): SimulatedProgram => ({
    start: reconcileParents((each, { objects }) => {
      const { rotation = '0', seen = '0' } = each.data ?? {};
      if (rotation === seen) return undefined;
      return objects.patch(`${namespace}/${each.metadata.name}`, {
        data: { seen: rotation, done: String(done(each)) },
      });
    }),
    user: ['1', '2', '3'].map((rotation) => ({ apply, objects }) => {
      const data = objects.get<ConfigMap>(configMaps, 'key', namespace)?.data;
      return apply(parent('key', { ...data, rotation }));
    }),
    goal: ({ get }) => get<ConfigMap>(configMaps, 'key', namespace)?.data?.['done'] === '3',
  });
  return {
    buggy: program(({ data }) => Number(data?.['done'] ?? 0) + 1),
    corrected: program(({ data }) => Number(data?.['rotation'])),
  };
})();

/** The record of a parent is removed when the watch, but not a new list, shows the deletion. */
const unobservedDeletion: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      return cache.changes$.pipe(
        filter(({ reason }) => isCorrect || reason !== 'relist'),
        parentKeys(),
        workqueue(
          (key) => {
            const record = `record-of-${key.slice(namespace.length + 1)}`;
            const isRecorded = cache.has(`${namespace}/${record}`);
            if (cache.has(key) === isRecorded) return undefined;
            if (isRecorded) return objects.delete(`${namespace}/${record}`);
            return createOnce({ objects }, record, { role: 'record', parent: key.slice(namespace.length + 1) });
          },
          { scheduler, random },
        ),
      );
    },
    user: [({ apply }) => apply(parent('web')), ({ remove }) => remove(configMaps, 'web', namespace)],
    goal: (objects) => withRole(objects, 'record').length === parentsOf(objects).length,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The record of a parent is removed if the process knew the parent. */
const forgottenParent: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      const record = (name: string): string => `record-of-${name}`;
      const remove = (name: string) =>
        objects
          .delete(`${namespace}/${record(name)}`)
          .pipe(catchError((error: { statusCode?: number }) => (error.statusCode === 404 ? EMPTY : raise(error))));
      const write = (name: string) => createOnce({ objects }, record(name), { role: 'record', parent: name });
      const isParent = ({ metadata }: ConfigMap): boolean => metadata.labels?.['role'] === 'parent';
      const seen = new Set<string>();
      return cache.changes$.pipe(
        parentKeys(),
        workqueue(
          (key) => {
            const name = key.slice(namespace.length + 1);
            const found = cache.get(key);
            if (found && isParent(found)) {
              seen.add(name);
              return cache.has(`${namespace}/${record(name)}`) ? undefined : write(name);
            }
            if (isCorrect ? !cache.has(`${namespace}/${record(name)}`) : !seen.has(name)) return undefined;
            return remove(name);
          },
          { scheduler, random },
        ),
      );
    },
    user: [({ apply }) => apply(parent('web')), ({ remove }) => remove(configMaps, 'web', namespace)],
    goal: (objects) => withRole(objects, 'record').length === parentsOf(objects).length,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** Two replicas claim an object at the same time, and each restores its claim. */
const writeFight: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    replicas: 2,
    start: (replica) => {
      const { client, scheduler, random, identity } = replica;
      const mine = new Set<string>();
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      const patience = identity.startsWith('a') ? 0 : 500;
      const claim = (key: string) =>
        defer(() => {
          const found = cache.get(key);
          const owner = found?.data?.['owner'];
          if (found === undefined || owner === identity || (owner !== undefined && !mine.has(key))) return EMPTY;
          if (!isCorrect) mine.add(key);
          const data = { owner: identity };
          const resourceVersion = found.metadata.resourceVersion;
          return objects.patch(key, isCorrect ? { metadata: { resourceVersion }, data } : { data });
        });
      return cache.changes$.pipe(changedKeys(), delay(patience, scheduler), workqueue(claim, { scheduler, random }));
    },
    user: [({ apply }) => apply(parent('web'))],
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['owner'] !== undefined),
    normalize: ({ metadata }) => metadata.name,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A failed write is logged, and not tried again. */
const lostRequeue: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: reconcileParents((each, { objects }) => {
      if (each.data?.['ready'] === 'yes') return undefined;
      const write = objects.patch(`${namespace}/${each.metadata.name}`, { data: { ready: 'yes' } });
      return isCorrect ? write : write.pipe(catchError(() => EMPTY));
    }),
    user: [({ apply }) => apply(parent('web'))],
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['ready'] === 'yes'),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The name of the child is stored after the child was created. */
const orphanAfterCrash: PlantedBug = (() => {
  const program = (metadataOf: (each: ConfigMap) => { name: string } | { generateName: string }): SimulatedProgram => ({
    start: reconcileParents((each, world) => {
      if (each.data?.['child'] !== undefined) return undefined;
      const metadata = { namespace, labels: childOf(each), ...metadataOf(each) };
      const store = (child: string) => world.objects.patch(`${namespace}/${each.metadata.name}`, { data: { child } });
      const create =
        'name' in metadata ? createOnce(world, metadata.name, metadata.labels) : world.objects.create({ metadata });
      return create.pipe(
        switchMap((created) => store(created?.metadata.name ?? ('name' in metadata ? metadata.name : ''))),
      );
    }),
    user: [({ apply }) => apply(parent('web'))],
    goal: (objects) =>
      childrenOf(objects).every(({ metadata: { name } }) =>
        parentsOf(objects).some(({ data }) => data?.['child'] === name),
      ) && hasOneChildEach(objects),
    normalize: withoutName,
  });
  return {
    buggy: program(({ metadata: { name } }) => ({ generateName: `${name}-` })),
    corrected: program(({ metadata: { name } }) => ({ name: `${name}-child` })),
  };
})();

/** Each replica remembers what it saw first, and corrects the status of the other one. */
const statusPingPong: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    replicas: 2,
    start: (replica) => {
      const remembered = new Map<string, string>();
      return reconcileParents((each, { cache, objects }) => {
        const { name } = each.metadata;
        if (name === 'dependency') return undefined;
        const seen = cache.has(`${namespace}/dependency`) ? 'Ready' : 'Waiting';
        const phase = isCorrect ? seen : (remembered.get(name) ?? seen);
        remembered.set(name, phase);
        return each.data?.['phase'] === phase ? undefined : objects.patch(`${namespace}/${name}`, { data: { phase } });
      })(replica);
    },
    user: [
      ({ apply }) => apply(parent('web')),
      // A change of the parent follows each change of what it depends on.
      ({ apply }) => apply(named('dependency', { parent: 'web' })),
    ],
    goal: ({ get }) => (isCorrect ? get<ConfigMap>(configMaps, 'web', namespace)?.data?.['phase'] === 'Ready' : true),
    normalize: ({ metadata }) => metadata.name,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The only worker waits for an object that the user has deleted. */
const starvation: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    setup: ({ client }) => {
      // Makes each child ready one second after its creation.
      const objects = resourceClient(client, configMaps);
      const children = informer(client, configMaps, { namespace, labelSelector: 'role=child', linger: 0 });
      return children.changes$
        .pipe(
          mergeMap(({ changes }) => changes),
          filter(({ type, object }) => type === 'added' && object.data?.['ready'] === undefined),
          delay(1_000, client.scheduler),
          mergeMap(({ object: { metadata } }) =>
            objects.patch(`${namespace}/${metadata.name}`, { data: { ready: 'yes' } }).pipe(catchError(() => EMPTY)),
          ),
        )
        .subscribe();
    },
    start: reconcileParents((each, world, { scheduler }) => {
      const child = `${each.metadata.name}-child`;
      if (each.data?.['ready'] === 'yes') return undefined;
      const isReady$ = world.cache.changes$.pipe(
        // A new list may lack what happened before it, so the run is repeated.
        mergeMap(({ reason, changes }) => (reason === 'relist' ? raise(new Error('listed again')) : changes)),
        filter(({ object }) => object.metadata.name === child && object.data?.['ready'] === 'yes'),
        take(1),
      );
      const limited$ = isCorrect ? isReady$.pipe(timeout({ first: 5_000, scheduler })) : isReady$;
      return concat(
        createOnce(world, child, childOf(each)),
        limited$,
        defer(() => world.objects.patch(`${namespace}/${each.metadata.name}`, { data: { ready: 'yes' } })),
      );
    }),
    user: [
      ({ apply }) => apply(parent('first')),
      ({ remove }) => remove(configMaps, 'first-child', namespace),
      ({ apply }) => apply(parent('second')),
    ],
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['ready'] === 'yes'),
    // Whether the child that the user has deleted is created again depends on the time.
    normalize: (object) => (object.metadata.name === 'first-child' ? undefined : object),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A write of a former leader arrives when another replica leads. */
const leaderOverlap: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    replicas: 2,
    setup: ({ apply }) => void apply(named('copy', {})),
    start: ({ client, scheduler, random, identity, lease }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      const leadership$ = leader$(client, { lease: { namespace, name: 'test' }, identity, ...lease });
      const copy = () =>
        defer(() => {
          const image = cache.get(`${namespace}/web`)?.data?.['image'];
          const target = cache.get(`${namespace}/copy`);
          if (image === undefined || target?.data?.['image'] === image) return EMPTY;
          const { resourceVersion } = target?.metadata ?? {};
          const data = { image };
          return objects.patch(`${namespace}/copy`, isCorrect ? { metadata: { resourceVersion }, data } : { data });
        });
      const running = cache.connect();
      running.add(
        leadership$
          .pipe(
            whileLeading(({ handOver }) =>
              cache.changes$.pipe(
                filter(({ changes }) => isCorrect || changes.some(({ object }) => object.metadata.name !== 'copy')),
                map(() => 'copy'),
                workqueue(copy, { scheduler, random, handOver }),
              ),
            ),
          )
          .subscribe(),
      );
      return running;
    },
    user: ['1', '2', '3'].map(
      (image) =>
        ({ apply }) =>
          apply(parent('web', { image })),
    ),
    goal: ({ get }) => get<ConfigMap>(configMaps, 'copy', namespace)?.data?.['image'] === '3',
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A conflict counts as handled, because the other writer's change starts another run. */
const swallowedConflict: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      return cache.changes$.pipe(
        // Changes of annotations start no run.
        filterUpdates(({ previous, object }) => previous.data?.['image'] !== object.data?.['image']),
        changedKeys(),
        workqueue(
          (key) =>
            objects.get(key).pipe(
              filter(({ data }) => data?.['image'] !== data?.['copy']),
              switchMap((found) =>
                objects.update({ ...found, data: { ...found.data, copy: found.data?.['image'] ?? '' } }),
              ),
              catchError((error: { statusCode?: number }) =>
                error.statusCode === 404 || (error.statusCode === 409 && !isCorrect) ? EMPTY : raise(error),
              ),
            ),
          { scheduler, random },
        ),
      );
    },
    user: [({ apply }) => apply(parent('web', { image: '1' }))],
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['image'] === data?.['copy']),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A write begins before the last one has ended, so they may arrive in the wrong order. */
const reorderedWrites: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    setup: ({ apply }) => void apply(named('copy', { parent: 'web' })),
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      const copy = () =>
        defer(() => {
          const image = cache.get(`${namespace}/web`)?.data?.['image'];
          if (image === undefined || cache.get(`${namespace}/copy`)?.data?.['image'] === image) return EMPTY;
          return objects.patch(`${namespace}/copy`, { data: { image } });
        });
      if (isCorrect)
        return cache.changes$.pipe(
          map(() => 'copy'),
          workqueue(copy, { scheduler, random }),
        );
      return cache.changes$.pipe(
        filter(({ changes }) => changes.some(({ object }) => object.metadata.name === 'web')),
        mergeMap(() => copy().pipe(retry({ delay: () => timer(100, scheduler) }))),
      );
    },
    user: ['1', '2', '3'].map(
      (image) =>
        ({ apply }) =>
          apply(parent('web', { image })),
    ),
    goal: ({ get }) => get<ConfigMap>(configMaps, 'copy', namespace)?.data?.['image'] === '3',
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A candidate waits for a time of its own, not for that of the leader. */
const fixedLeaseTime: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    replicas: 2,
    setup: ({ apply }) =>
      void apply({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name: 'own' } }),
    start: ({ client, scheduler, identity, lease: { leaseDuration, retryPeriod } }) => {
      const cache = informer(client, leases, { namespace });
      const lease = resourceClient(client, leases);
      const objects = resourceClient(client, configMaps, { fieldManager: 'test' });
      const expiry = isCorrect ? leaseDuration : 8_000;
      const write = (renewal: string) =>
        lease.patch(`${namespace}/own`, { spec: { holderIdentity: identity, strategy: renewal } });
      const leaderRecord = () =>
        createOrUpdate(
          objects,
          { metadata: { namespace, name: 'leader' } },
          (draft) => void (draft.data = { identity }),
        );
      const spec$ = cache.get$(`${namespace}/own`).pipe(map((found) => found?.spec));
      const renewed$ = spec$.pipe(
        switchMap((spec) => {
          const first = identity.startsWith('a') ? 0 : 2_000;
          const free = spec?.holderIdentity === undefined;
          const wait = spec?.holderIdentity === identity ? retryPeriod : free ? first : expiry;
          return timer(wait, scheduler).pipe(switchMap(() => write(String(scheduler.now()))));
        }),
        retry({ delay: () => timer(1_000, scheduler) }),
      );
      const recorded$ = spec$.pipe(
        map((spec) => spec?.holderIdentity),
        distinctUntilChanged(),
        filter((holder) => holder === identity),
        switchMap(() => leaderRecord().pipe(retry({ delay: () => timer(1_000, scheduler) }))),
      );
      return merge(renewed$, recorded$);
    },
    normalize: ({ metadata }) => metadata.name,
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** Reads an index that a handler maintains, and that may be older than the change. */
const readBetweenSlices: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace });
      const objects = resourceClient(client, configMaps);
      const images = new Map<string, string | undefined>();
      const handled = new Subject<string>();
      const remember = (object: ConfigMap): void => {
        const key = `${namespace}/${object.metadata.name}`;
        images.set(key, object.data?.['image']);
        if (isCorrect) handled.next(key);
      };
      const write = (key: string) =>
        defer(() => {
          const image = images.get(key);
          if (image === undefined || cache.get(key)?.data?.['copy'] === image) return EMPTY;
          return objects.patch(key, { data: { copy: image } });
        });
      const running = new Subscription();
      running.add(addEventHandler(cache, { onAdd: remember, onUpdate: (_, object) => remember(object) }));
      const changed$ = cache.changes$.pipe(
        filterUpdates(({ previous, object }) => previous.data?.['image'] !== object.data?.['image']),
        changedKeys(),
      );
      // The index has the objects of the first list.
      const late$ = timer(500, scheduler).pipe(switchMap(() => changed$));
      running.add(merge(handled, late$).pipe(workqueue(write, { scheduler, random })).subscribe());
      return running;
    },
    user: ['1', '2'].map((image) => ({ apply, objects }) => {
      const data = objects.get<ConfigMap>(configMaps, 'web', namespace)?.data;
      return apply(parent('web', { ...data, image }));
    }),
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['image'] === data?.['copy']),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** A creation without a name is sent again, because its response was lost. */
const retriedCreate: PlantedBug = (() => {
  const program = (metadataOf: (name: string) => { name: string } | { generateName: string }): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const cache = informer(client, configMaps, { namespace, labelSelector: 'role=parent' });
      const objects = resourceClient(client, configMaps, { timeout: 300_000 });
      const create = (name: string, known: Set<string | undefined>) =>
        defer(() => {
          if (known.has(name)) return EMPTY;
          const metadata = { namespace, labels: { role: 'child', parent: name }, ...metadataOf(name) };
          return objects.create({ metadata }).pipe(
            catchError((error: { statusCode?: number }) => (error.statusCode === 409 ? of(undefined) : raise(error))),
            tap(() => known.add(name)),
          );
        });
      // The list is read from the server when the process starts, and never again.
      return defer(() => objects.list({ labelSelector: 'role=child' })).pipe(
        retry({ delay: () => timer(1_000, scheduler) }),
        map((children) => new Set(children.map(({ metadata }) => metadata.labels?.['parent']))),
        switchMap((known) =>
          cache.changes$.pipe(
            parentKeys(),
            workqueue((key) => create(key.slice(namespace.length + 1), known), { scheduler, random }),
          ),
        ),
      );
    },
    user: [({ apply }) => apply(parent('web'))],
    goal: hasOneChildEach,
    normalize: withoutName,
  });
  return {
    buggy: program((name) => ({ generateName: `${name}-` })),
    corrected: program((name) => ({ name: `${name}-child` })),
  };
})();

/** A server that is overloaded counts as a failure that lasts. */
const swallowedUnavailability: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    start: reconcileParents((each, { objects }) => {
      if (each.data?.['ready'] === 'yes') return undefined;
      return objects
        .patch(`${namespace}/${each.metadata.name}`, { data: { ready: 'yes' } })
        .pipe(
          catchError((error: { statusCode?: number }) =>
            error.statusCode === 503 && !isCorrect ? EMPTY : raise(error),
          ),
        );
    }),
    user: [({ apply }) => apply(parent('web'))],
    goal: (objects) => parentsOf(objects).every(({ data }) => data?.['ready'] === 'yes'),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** Skips an object that is not newer than the last one. Creation times are whole seconds. */
const coarseWatermark: PlantedBug = (() => {
  const program = (isNext: (time: number, last: number) => boolean): SimulatedProgram => ({
    start: ({ client, scheduler, random }) => {
      const objects = resourceClient(client, configMaps);
      let last = 0;
      return informer(client, configMaps, { namespace }).changes$.pipe(
        mergeMap(({ changes }) => changes),
        filter(({ type, object: { metadata } }) => {
          const time = new Date(metadata.creationTimestamp ?? 0).getTime();
          if (type !== 'added' || !isNext(time, last)) return false;
          last = time;
          return true;
        }),
        map(({ key }) => key),
        workqueue((key) => objects.patch(key, { data: { state: 'seen' } }), { scheduler, random }),
      );
    },
    // Names in the order of creation, because a list comes in the order of names.
    user: ['job-1', 'job-2', 'job-3'].map(
      (name) =>
        ({ apply }) =>
          apply(named(name, { role: 'job' })),
    ),
    goal: (objects) => withRole(objects, 'job').every(({ data }) => data?.['state'] === 'seen'),
  });
  return { buggy: program((time, last) => time > last), corrected: program((time, last) => time >= last) };
})();

/** Two replicas share the keys. The new owner of a key ignores it until the object changes. */
const ungainedKey: PlantedBug = (() => {
  const program = (isCorrect: boolean): SimulatedProgram => ({
    replicas: 2,
    start: ({ client, scheduler, random, identity, lease }) => {
      const cache = informer(client, configMaps, { namespace, labelSelector: 'role=job' });
      const objects = resourceClient(client, configMaps);
      const mine$ = membership$(client, { group: { namespace, name: 'jobs' }, identity, ...lease });
      const keys$ = isCorrect ? ownedKeys(cache, mine$) : cache.changes$.pipe(changedKeys(), whereOwned(mine$));
      return keys$.pipe(
        workqueue(
          (key, run) => {
            if (cache.get(key)?.data?.['state'] !== undefined) return undefined;
            return whileOwned(mine$, { ...run, key }, () => objects.patch(key, { data: { state: 'seen' } }));
          },
          { scheduler, random },
        ),
      );
    },
    user: ['job-1', 'job-2', 'job-3', 'job-4'].map(
      (name) =>
        ({ apply }) =>
          apply(named(name, { role: 'job' })),
    ),
    goal: (objects) => withRole(objects, 'job').every(({ data }) => data?.['state'] === 'seen'),
  });
  return { buggy: program(false), corrected: program(true) };
})();

/** The ten patterns. */
export const plantedBugs = {
  'stale read': staleRead,
  'missed intermediate state': missedIntermediateState,
  'unobserved deletion': unobservedDeletion,
  'write fight': writeFight,
  'lost requeue': lostRequeue,
  'double create': doubleCreate,
  'orphan after crash': orphanAfterCrash,
  'status ping-pong': statusPingPong,
  starvation,
  'leader overlap': leaderOverlap,
} satisfies Readonly<Record<string, PlantedBug>>;

/** Further bugs, most of which only one choice point can show. */
export const narrowBugs = {
  'swallowed conflict': swallowedConflict,
  'reordered writes': reorderedWrites,
  'fixed lease time': fixedLeaseTime,
  'read between slices': readBetweenSlices,
  'retried create': retriedCreate,
  'swallowed unavailability': swallowedUnavailability,
  'forgotten parent': forgottenParent,
  'coarse watermark': coarseWatermark,
  'ungained key': ungainedKey,
} satisfies Readonly<Record<string, PlantedBug>>;
