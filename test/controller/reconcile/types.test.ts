import { expectTypeOf } from 'expect-type';
import { of, type Observable } from 'rxjs';
import {
  type ControllerOptions,
  controller,
  type Controller,
  type ReconcileReason,
  type ReconcileRequest,
  requeueAfter,
} from 'rx-informers/controller';
import {
  type Collection,
  createIndexer,
  type Informer,
  type Deployment,
  type ReplicaSet,
  type ConfigMap,
  type Pod,
  filterUpdates,
  whereChanged,
  generationChanged,
} from 'rx-informers';

declare const deploymentInformer: Informer<Deployment>;
declare const podInformer: Informer<Pod, 'node'>;
declare const replicaSets: Collection<ReplicaSet>;
declare const configMapInformer: Informer<ConfigMap>;
declare const hooks$: Observable<{ readonly path: string }>;

describe('controller: types', () => {
  it('knows the type of every source where it is used, without any annotation', () => {
    const make = () =>
      controller({
        for: { source: deploymentInformer, through: whereChanged((deployment) => deployment.metadata.generation) },
        owns: [
          podInformer,
          { source: replicaSets, everyOwner: true, through: whereChanged((replicaSet) => replicaSet.status?.replicas) },
        ],
        watches: [
          {
            source: configMapInformer,
            through: filterUpdates(generationChanged),
            map: (configMap) => {
              expectTypeOf(configMap).toEqualTypeOf<ConfigMap>();
              return configMap.data?.['site'];
            },
          },
          {
            source: hooks$,
            map: (hook) => {
              expectTypeOf(hook).toEqualTypeOf<{ readonly path: string }>();
              return [hook.path];
            },
          },
        ],
        reconcile: async ({ key, object, reasons, attempt, signal }) => {
          expectTypeOf(key).toEqualTypeOf<string>();
          expectTypeOf(object).toEqualTypeOf<Deployment | undefined>();
          expectTypeOf(reasons).toEqualTypeOf<readonly ReconcileReason[]>();
          expectTypeOf(attempt).toEqualTypeOf<number>();
          expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
          if (!object) return;
          return attempt > 1 ? requeueAfter(5) : (object.spec?.replicas ?? 0);
        },
      });
    expectTypeOf(make).returns.toEqualTypeOf<Controller<number>>();
    expect(typeof make).toBe('function');
  });

  it('takes plain collections, whatever they hold, and results of any form', () => {
    const teams = createIndexer((team: { readonly name: string }) => team.name);
    const texts$ = controller({ for: teams, reconcile: ({ object }) => of(object?.name ?? '') });
    const nothing$ = controller({ for: teams, reconcile: async () => undefined });
    expectTypeOf(texts$).toEqualTypeOf<Controller<string>>();
    expectTypeOf(nothing$).toEqualTypeOf<Controller<never>>();
    expect(teams.hasSynced).toBe(false);
  });

  it('does not compile where something does not fit', () => {
    const reconcile = ({ object }: ReconcileRequest<Deployment>): number => object?.spec?.replicas ?? 0;
    const make = () => [
      // @ts-expect-error a number is no key
      controller({ for: deploymentInformer, watches: [{ source: configMapInformer, map: () => 5 }], reconcile }),
      // @ts-expect-error a promise is no key
      controller({ for: deploymentInformer, watches: [{ source: hooks$, map: async () => 'key' }], reconcile }),
      // @ts-expect-error pods are not what reconcile takes
      controller({ for: podInformer, reconcile }),
      // @ts-expect-error a Pod has no such field
      controller({ for: { source: podInformer, through: whereChanged((pod) => pod.replicas) }, reconcile: () => 1 }),
      // @ts-expect-error an Observable owns nothing
      controller({ for: deploymentInformer, owns: [hooks$], reconcile }),
    ];
    expect(typeof make).toBe('function');
  });

  it('lets options be made apart', () => {
    const make = (options: Partial<ControllerOptions<Deployment>>) =>
      controller<Deployment, readonly Pod[], readonly unknown[], number>({
        ...(options as object),
        for: deploymentInformer,
        owns: [podInformer],
        reconcile: () => 1,
      });
    expectTypeOf(make).returns.toEqualTypeOf<Controller<number>>();
    expect(typeof make).toBe('function');
  });
});
