import * as fc from 'fast-check';
import { createIndexer, type KubernetesObject, type Pod, type Service } from 'rx-informers';
import { metaNamespaceKey } from 'rx-informers/store';
import { aDeployment, aPod, aReplicaSet } from 'rx-informers/testing';
import { referencesOf } from '../../page/drawer/references.js';
import { relationsOf, subjectOf } from '../../page/drawer/relations.js';
import { usedObjects } from '../../page/drawer/used-objects.js';

type Spec = NonNullable<Pod['spec']>;

const container = (more: object): Spec['containers'][number] => ({ name: 'main', image: 'a', ...more });

/** Every way in which a pod can use a ConfigMap or a Secret of this name. */
const usesOf = (name: string): readonly (readonly [title: string, spec: Partial<Spec>])[] => {
  const of = { name, key: 'k' };
  return [
    ['a volume of a ConfigMap', { volumes: [{ name: 'v', configMap: { name } }] }],
    ['a volume of a Secret', { volumes: [{ name: 'v', secret: { secretName: name } }] }],
    [
      'a projected volume',
      { volumes: [{ name: 'v', projected: { sources: [{ configMap: { name } }, { secret: { name } }] } }] },
    ],
    [
      'a volume of a driver with a Secret',
      { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name } } }] },
    ],
    ['a variable', { containers: [container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: of } }] })] }],
    [
      'a variable from a Secret',
      { containers: [container({ env: [{ name: 'A', valueFrom: { secretKeyRef: of } }] })] },
    ],
    ['all variables', { containers: [container({ envFrom: [{ configMapRef: { name } }, { secretRef: { name } }] })] }],
    [
      'a variable of an init container',
      { initContainers: [container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: of } }] })] },
    ],
    [
      'all variables of a debug container',
      { ephemeralContainers: [container({ envFrom: [{ secretRef: { name } }] })] },
    ],
    ['a pull secret', { imagePullSecrets: [{ name }] }],
  ];
};

/** Finds the used objects by the names of the fields, wherever they are in the spec. */
function searched(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [field, content] of Object.entries(value as Readonly<Record<string, { name?: string } | undefined>>)) {
    const named = Array.isArray(content) ? undefined : content?.name;
    if (/^configMap(Ref|KeyRef)?$/.test(field) && named !== undefined) found.add(`v1/configmaps ${named}`);
    if (/^(secret(Ref|KeyRef)?|nodePublishSecretRef)$/.test(field) && named !== undefined)
      found.add(`v1/secrets ${named}`);
    if (field === 'secretName') found.add(`v1/secrets ${String(content)}`);
    if (field === 'claimName') found.add(`v1/persistentvolumeclaims ${String(content)}`);
    if (field === 'imagePullSecrets')
      for (const { name } of content as unknown as { name: string }[]) found.add(`v1/secrets ${name}`);
    searched(content, found);
  }
  return found;
}

const texts = (spec: Partial<Spec>): ReadonlySet<string> =>
  new Set(usedObjects(spec).map(({ resource, name }) => `${resource} ${name}`));

describe('the objects that a pod uses', () => {
  it.each(usesOf('settings'))('include that of %s', (_, spec) => {
    expect(texts(spec)).toEqual(searched(spec));
    expect(texts(spec).size).toBeGreaterThan(0);
  });

  it('are those that a search through the whole spec finds, in any combination', () => {
    const use = fc.constantFrom(...['a', 'b'].flatMap(usesOf).map(([, spec]) => spec));
    fc.assert(
      fc.property(fc.array(use, { maxLength: 6 }), (specs) => {
        const all = specs.flatMap((spec) => Object.entries(spec));
        const spec = Object.fromEntries(
          all.map(([field]) => [
            field,
            all.filter(([other]) => other === field).flatMap(([, items]) => items as readonly unknown[]),
          ]),
        ) as Partial<Spec>;
        expect(texts(spec)).toEqual(searched(spec));
      }),
    );
  });

  it('include the claim that is created for a generic ephemeral volume, if the pod has a name', () => {
    const volumes = [{ name: 'cache', ephemeral: {} }] as unknown as NonNullable<Spec['volumes']>;
    expect(usedObjects({ volumes }, 'web-1')).toEqual([{ resource: 'v1/persistentvolumeclaims', name: 'web-1-cache' }]);
    expect(usedObjects({ volumes })).toEqual([]);
  });
});

let version = 0;

const referring = <T extends KubernetesObject>(object: T, kind: string, uid: string | undefined): T => {
  const ownerReferences =
    uid === undefined ? undefined : [{ apiVersion: 'apps/v1', kind, name: uid, uid, controller: true }];
  const { name = '', namespace = '' } = object.metadata ?? {};
  const metadata = {
    ...object.metadata,
    uid: `${namespace}/${name}`,
    resourceVersion: String(++version),
    ownerReferences,
  };
  return { ...object, metadata };
};

const collectionOf = <T extends KubernetesObject>() => createIndexer((object: T) => metaNamespaceKey(object), {});

interface Collections {
  readonly pods: ReturnType<typeof collectionOf<Pod>>;
  readonly replicaSets: ReturnType<typeof collectionOf<KubernetesObject>>;
  readonly deployments: ReturnType<typeof collectionOf<KubernetesObject>>;
}

/** Returns the names in each relation of an object. */
function relate(resource: string, object: KubernetesObject, { pods, ...workloads }: Collections) {
  const { all } = relationsOf(subjectOf(resource, object), { pods, workloads });
  const running = all.map(({ rows }) => rows.snapshot$.subscribe());
  return {
    names: () =>
      Object.fromEntries(
        all.map(({ title, rows }) => [
          title,
          rows
            .list()
            .map(({ name }) => name)
            .sort(),
        ]),
      ),
    rows: () => all.flatMap(({ rows }) => rows.list()),
    all,
    close: () => {
      for (const subscription of running) subscription.unsubscribe();
    },
  };
}

const web = referring(aDeployment({ name: 'web', namespace: 'a' }), '', 'release');
const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'a' } };
const service = (selector?: Readonly<Record<string, string>>): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { ...aPod({ name: 'web', namespace: 'a' }).metadata },
  spec: { ...(selector && { selector }) },
});
const release = { apiVersion: 'x.com/v1', kind: 'Release', metadata: { name: 'r', namespace: 'a', uid: 'release' } };

const empty = (): Collections => ({ pods: collectionOf(), replicaSets: collectionOf(), deployments: collectionOf() });

describe('the relations of an object', () => {
  it('are the same as a search through all objects finds, after any changes of pods and their owners', () => {
    const name = fc.constantFrom('p1', 'p2', 'p3', 'p4');
    const namespace = fc.constantFrom('a', 'b');
    const owners = ['a/web', 'a/other', 'a/rs1', 'a/rs2', undefined];
    const podStep = fc.record({
      pod: name,
      namespace,
      owner: fc.constantFrom(...owners),
      app: fc.constantFrom('web', 'api'),
      node: fc.constantFrom('n1', 'n2', undefined),
      use: fc.constantFrom(undefined, ...usesOf('settings').map(([, spec]) => spec)),
    });
    const setStep = fc.record({ set: fc.constantFrom('rs1', 'rs2'), owner: fc.constantFrom('a/web', undefined) });
    const removal = fc.record({ removed: fc.constantFrom('a/p1', 'b/p2', 'a/rs1', 'a/web') });
    fc.assert(
      fc.property(fc.array(fc.oneof(podStep, podStep, setStep, removal), { maxLength: 25 }), (steps) => {
        const collections = empty();
        const { pods, replicaSets: sets, deployments: owning } = collections;
        for (const each of [pods, sets]) each.replace([]);
        owning.replace([web]);
        const shown = {
          deployment: relate('apps/v1/deployments', web, collections),
          release: relate('x.com/v1/releases', release, collections),
          config: relate('v1/configmaps', settings, collections),
          service: relate('v1/services', service({ app: 'web' }), collections),
          node: relate('v1/nodes', { metadata: { name: 'n1' } }, collections),
        };
        for (const step of steps) {
          if ('set' in step) {
            sets.update(referring(aReplicaSet({ name: step.set, namespace: 'a' }), 'Deployment', step.owner));
          } else if ('removed' in step) {
            for (const each of [pods, sets, owning]) {
              const object = each.get(step.removed) as Pod | undefined;
              if (object !== undefined) each.delete(object);
            }
          } else {
            const { pod, namespace: within, owner, app, node, use } = step;
            const made = aPod({ name: pod, namespace: within, labels: { app }, ...(node !== undefined && { node }) });
            pods.update(referring({ ...made, spec: { ...made.spec, ...use } as Spec }, 'ReplicaSet', owner));
          }
          const all = pods.list();
          const uidOfOwner = (object: KubernetesObject | undefined) => object?.metadata?.ownerReferences?.[0]?.uid;
          const isBelow = (object: KubernetesObject | undefined, uid: string): boolean => {
            const owner = uidOfOwner(object);
            return owner !== undefined && (owner === uid || isBelow(sets.get(owner) ?? owning.get(owner), uid));
          };
          const podsWhere = (isRelated: (pod: Pod) => boolean) =>
            all
              .filter(isRelated)
              .map(({ metadata }) => metadata.name)
              .sort();
          const isHere = ({ metadata }: Pod): boolean => metadata.namespace === 'a';
          expect(shown.deployment.names()).toEqual({
            Owns: [],
            Pods: podsWhere((pod) => isHere(pod) && isBelow(pod, 'a/web')),
          });
          expect(shown.release.names()).toEqual({
            Owns: [...sets.list(), ...owning.list()]
              .filter((object) => isBelow(object, 'release'))
              .map(({ metadata }) => metadata?.name)
              .sort(),
            Pods: podsWhere((pod) => isHere(pod) && isBelow(pod, 'release')),
          });
          expect(shown.config.names()['Pods']).toEqual(
            podsWhere((pod) => isHere(pod) && searched(pod.spec).has('v1/configmaps settings')),
          );
          expect(shown.service.names()['Pods']).toEqual(
            podsWhere((pod) => isHere(pod) && pod.metadata.labels?.['app'] === 'web'),
          );
          expect(shown.node.names()['Pods']).toEqual(podsWhere((pod) => pod.spec?.nodeName === 'n1'));
        }
        for (const { close } of Object.values(shown)) close();
      }),
      { numRuns: 60 },
    );
  });

  it('of a node are the workloads of its pods, with the number of these pods and their worst state', () => {
    const collections = empty();
    const of = (pod: Pod, name: string): Pod => referring(pod, 'StatefulSet', name);
    const failed = aPod({ name: 'db-1', namespace: 'b', node: 'n1', phase: 'Failed' });
    collections.pods.replace([
      of(aPod({ name: 'web-0', namespace: 'a', node: 'n1' }), 'web'),
      of(aPod({ name: 'web-1', namespace: 'a', node: 'n1' }), 'web'),
      of(failed, 'db'),
      of(aPod({ name: 'web-2', namespace: 'a', node: 'n2' }), 'web'),
    ]);
    const { rows, all, close } = relate('v1/nodes', { metadata: { name: 'n1' } }, collections);
    expect(
      rows()
        .filter(({ kind }) => kind === 'StatefulSet')
        .map(({ resource, key, severity, text }) => [resource, key, severity, text]),
    ).toEqual([
      ['apps/v1/statefulsets', 'a/web', 'ok', '2 pods'],
      ['apps/v1/statefulsets', 'b/db', 'failed', '1 pod'],
    ]);
    expect(all.find(({ title }) => title === 'Pods')?.filter?.chosen).toEqual({ node: ['n1'] });
    close();
  });

  it.each([
    [{ app: 'web', tier: 'front' }, 'It selects nothing: a has no pods with the labels app=web,tier=front.'],
    [undefined, 'It has no selector, so it selects no pods.'],
  ])('of a Service with the selector %j say that it selects nothing', (selector, sentence) => {
    const collections = empty();
    collections.pods.replace([aPod({ name: 'p', namespace: 'a', labels: { app: 'web' } })]);
    const { names, all, close } = relate('v1/services', service(selector), collections);
    expect([names()['Pods'], all.find(({ title }) => title === 'Pods')?.nothing]).toEqual([[], sentence]);
    close();
  });

  it('of a Service link to the table of pods, filtered by its namespace and its labels', () => {
    const { all, close } = relate('v1/services', service({ tier: 'front', app: 'web' }), empty());
    expect(all.map(({ title, filter }) => [title, filter])).toEqual([
      ['Workloads', undefined],
      ['Pods', { chosen: { namespace: ['a'] }, text: '-l app=web,tier=front' }],
    ]);
    close();
  });

  it('of a pod are the Services that select it', () => {
    const services = collectionOf<Service>();
    services.replace([
      service({ app: 'web' }),
      { ...service({ app: 'api' }), metadata: { ...aPod({ name: 'api', namespace: 'a' }).metadata } },
    ]);
    const pod = aPod({ name: 'p', namespace: 'a', labels: { app: 'web' } });
    const { all } = relationsOf(subjectOf('v1/pods', pod), { pods: empty().pods, services, workloads: {} });
    const running = all[0]?.rows.snapshot$.subscribe();
    expect(all.map(({ title, rows }) => [title, rows.list().map(({ name }) => name)])).toEqual([['Services', ['web']]]);
    running?.unsubscribe();
  });
});

describe('the objects that an object names', () => {
  const named = (resource: string, object: object): readonly string[] =>
    referencesOf(resource, object as KubernetesObject).map((reference) => `${reference.resource}:${reference.key}`);

  it('are those of its pod template, too', () => {
    const template = { spec: { volumes: [{ name: 'v', configMap: { name: 'settings' } }], containers: [] } };
    const metadata = { name: 'web', namespace: 'shop' };
    expect(named('apps/v1/deployments', { metadata, spec: { template } })).toEqual(['v1/configmaps:shop/settings']);
    const jobTemplate = { spec: { template } };
    expect(named('batch/v1/cronjobs', { metadata, spec: { jobTemplate } })).toEqual(['v1/configmaps:shop/settings']);
  });

  it('are the volume and the class of a claim, the Services of an Ingress, and the target of an autoscaler', () => {
    const metadata = { name: 'web', namespace: 'shop' };
    expect(
      named('v1/persistentvolumeclaims', { metadata, spec: { volumeName: 'pv-1', storageClassName: 'fast' } }),
    ).toEqual(['v1/persistentvolumes:pv-1', 'storage.k8s.io/v1/storageclasses:fast']);
    const paths = [{ backend: { service: { name: 'api' } } }, { backend: { service: { name: 'api' } } }];
    const spec = { tls: [{ secretName: 'cert' }], rules: [{ http: { paths } }] };
    expect(named('networking.k8s.io/v1/ingresses', { metadata, spec })).toEqual([
      'v1/services:shop/api',
      'v1/secrets:shop/cert',
    ]);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    expect(named('autoscaling/v2/horizontalpodautoscalers', { metadata, spec: { scaleTargetRef } })).toEqual([
      'apps/v1/deployments:shop/web',
    ]);
  });
});
