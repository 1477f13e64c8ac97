import fc from 'fast-check';
import {
  configMaps,
  filterUpdates,
  generationChanged,
  informer,
  listWatch,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { controller, fastSlow, TerminalError, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient, edit } from 'rx-informers/requests';
import { latestOnly, metaNamespaceKey } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import {
  auditTime,
  buffer,
  catchError,
  concat,
  connect,
  defer,
  delay,
  EMPTY,
  filter,
  ignoreElements,
  map,
  throwError,
  type Observable,
} from 'rxjs';
import { expectOutput } from '../../support/unexpected-output.js';
import { scale, scales, type Scale } from './support/scaling.js';

const key = 'default/a';
const childKey = 'default/child';

/** The changes of a user. They are made between two runs, or between two writes of a run. */
const userChanges = ['spec', 'label', 'child', 'removeChild'] as const;

/** The writes of a run. With `patch` and `apply`, the request names no version. */
const ownWrites = [
  'edit',
  'status',
  'update',
  'patch',
  'patchAgain',
  'apply',
  'create',
  'delete',
  'editChild',
  'patchChild',
] as const;

const deed = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ownWrites) },
  { weight: 1, arbitrary: fc.constantFrom(...userChanges) },
);

const world = fc.record({
  history: fc.array(fc.record({ change: fc.constantFrom(...userChanges), wait: fc.constantFrom(0, 1, 7, 400) }), {
    maxLength: 8,
  }),
  runs: fc.array(
    fc.record({ deeds: fc.array(deed, { maxLength: 4 }), ends: fc.constantFrom('well', 'badly', 'terminally') }),
    { minLength: 1, maxLength: 6 },
  ),
  /** How long the events of a watch are collected. Only the newest event of an object is kept. */
  merged: fc.constantFrom(0, 10, 100),
  answer: fc.constantFrom(0, 3),
  maxRetries: fc.constantFrom(0, 2, Infinity),
  onlySpec: fc.boolean(),
});

/** Found by this test: a run fails for good, and its write changes nothing or hides a change. */
const found = (deeds: readonly ((typeof ownWrites)[number] | (typeof userChanges)[number])[], merged: 0 | 10) => ({
  history: [],
  runs: [
    { deeds: [...deeds], ends: 'terminally' as const },
    { deeds: [], ends: 'well' as const },
  ],
  merged,
  answer: 0 as const,
  maxRetries: Infinity,
  onlySpec: false,
});

describe('controller({ client }): random histories of users and runs', () => {
  it('the last change of each object by another client leads to a run that sees it', () => {
    expectOutput(/were written without the client of the run/);
    fc.assert(
      fc.property(world, ({ history, runs, merged, answer, maxRetries, onlySpec }) => {
        const clock = virtualClock();
        const scheduler = clock;
        const server = createInMemoryApiServer({ scheduler, resources: [scales] });
        const client: KubeClient = {
          scheduler,
          random: () => 0,
          exchange: (request) =>
            answer > 0 && request.method !== 'GET'
              ? server.client.exchange(request).pipe(delay(answer, scheduler))
              : server.client.exchange(request),
        };
        const cacheOf = <T extends KubernetesObject>(resource: Resource<T>) => {
          const source$ = listWatch(client, resource);
          if (merged === 0) return informer(source$, { linger: 0 });
          const merged$ = source$.pipe(
            connect((batches$) => batches$.pipe(buffer(batches$.pipe(auditTime(merged, scheduler))))),
            map((batches) => batches.flat()),
            filter((batch) => batch.length > 0),
          );
          return informer(merged$, { linger: 0, scheduler, resource, dedup: latestOnly });
        };
        const scaleCache = cacheOf(scales);
        const children = cacheOf(configMaps);

        /** The last change of each object by the user: its version, or the uid that was deleted. */
        const last = new Map<string, { readonly version?: number; readonly deleted?: string }>();
        let step = 0;
        const userScales = resourceClient(server.client, scales);
        const userChildren = resourceClient(server.client, configMaps);
        const noted = (name: string, change$: Observable<KubernetesObject>): void => {
          change$.subscribe({
            next: ({ metadata }) => last.set(name, { version: Number(metadata?.resourceVersion) }),
            error: () => undefined,
          });
        };
        const changeByUser = (change: (typeof userChanges)[number]): void => {
          const value = String(step++);
          const child = server.objects.list(configMaps)[0];
          switch (change) {
            case 'spec':
              noted(key, userScales.patch(key, { spec: { replicas: step } }));
              break;
            case 'label':
              // A filter by generation ignores labels.
              if (onlySpec) userScales.patch(key, { metadata: { labels: { user: value } } }).subscribe();
              else noted(key, userScales.patch(key, { metadata: { labels: { user: value } } }));
              break;
            case 'child':
              noted(childKey, userChildren.patch(childKey, { data: { user: value } }));
              break;
            case 'removeChild':
              if (child === undefined) break;
              last.set(childKey, { deleted: child.metadata.uid });
              server.remove(configMaps, 'child', 'default');
              break;
            default:
              change satisfies never;
          }
        };

        let turn = 0;
        const write = (own: KubeClient, object: Scale, what: (typeof ownWrites)[number]): Observable<unknown> => {
          const value = String(step++);
          const scaleClient = resourceClient(own, scales, { fieldManager: 'test' });
          const childClient = resourceClient(own, configMaps, { fieldManager: 'test' });
          const child = children.get(childKey);
          const metadata = { name: 'child', namespace: 'default' };
          switch (what) {
            case 'edit':
              return edit(scaleClient, object, (draft) => void (draft.metadata.labels = { own: value }));
            case 'status':
              return edit(scaleClient, object, (draft) => void (draft.status = { seen: turn }), {
                subresource: 'status',
              });
            case 'update':
              return scaleClient.update({ ...object, metadata: { ...object.metadata, annotations: { own: value } } });
            case 'patch':
              return scaleClient.patch(key, { status: { seen: turn } }, { subresource: 'status' });
            case 'patchAgain':
              return scaleClient.patch(key, { metadata: { labels: { managed: 'yes' } } });
            case 'apply':
              return childClient.apply({ metadata, data: { managed: 'yes' } });
            case 'create':
              return childClient.create({ metadata });
            case 'delete': {
              const uid = server.objects.list(configMaps)[0]?.metadata.uid;
              return childClient.delete(childKey).pipe(
                // What was deleted needs no run.
                map(() => uid !== last.get(childKey)?.deleted && last.delete(childKey)),
              );
            }
            case 'editChild':
              return child ? edit(childClient, child, (draft) => void (draft.data = { own: value })) : EMPTY;
            case 'patchChild':
              return childClient.patch(childKey, { data: { own: value } });
            default:
              return what satisfies never;
          }
        };
        const seen: { readonly scale: number; readonly child: number; readonly uid: string | undefined }[] = [];
        const reconcile = ({ object, client: own }: ReconcileRequest<Scale, KubeClient>): Observable<never> => {
          const child = children.get(childKey)?.metadata;
          seen.push({
            scale: Number(object?.metadata.resourceVersion),
            child: Number(child?.resourceVersion ?? 0),
            uid: child?.uid,
          });
          const { deeds, ends } = runs[turn++ % runs.length] ?? { deeds: [], ends: 'well' };
          // Work that always triggers itself never comes to an end.
          if (!object || turn > 25) return EMPTY;
          const error = ends === 'terminally' ? new TerminalError('as planned') : new Error('as planned');
          return concat(
            ...deeds.map((what) =>
              defer(() => {
                const isOwn = ownWrites.find((each) => each === what);
                if (isOwn !== undefined) return write(own, object, isOwn);
                changeByUser(what as (typeof userChanges)[number]);
                return EMPTY;
              }).pipe(catchError(() => EMPTY)),
            ),
            ends === 'well' ? EMPTY : throwError(() => error),
          ).pipe(ignoreElements());
        };

        server.apply(scale('a', 0));
        const subscription = controller({
          for: onlySpec ? { source: scaleCache, through: filterUpdates(generationChanged) } : scaleCache,
          watches: [{ source: children, map: (object) => (metaNamespaceKey(object) === childKey ? key : null) }],
          client,
          maxRetries,
          rateLimiter: () => fastSlow({ fast: 5, slow: 50, fastAttempts: 3 }),
          reconcile,
        }).subscribe();
        for (const { change, wait } of history) {
          clock.advance(wait);
          changeByUser(change);
        }
        // A key that triggers itself waits up to ten seconds before each run.
        clock.advance(300_000);

        const scaleVersion = last.get(key)?.version ?? 0;
        expect(Math.max(...seen.map((each) => each.scale))).toBeGreaterThanOrEqual(scaleVersion);
        const { version: childVersion = 0, deleted } = last.get(childKey) ?? {};
        expect(Math.max(...seen.map((each) => each.child))).toBeGreaterThanOrEqual(childVersion);
        expect(deleted !== undefined && seen.at(-1)?.uid === deleted).toBe(false);
        subscription.unsubscribe();
        server.stop();
      }),
      {
        numRuns: 40,
        examples: [
          [found(['patchAgain', 'spec', 'patchAgain'], 0)],
          [found(['spec', 'edit'], 10)],
          [{ ...found([], 0), runs: [{ deeds: ['spec', 'patchAgain'], ends: 'well' }] }],
        ],
      },
    );
  });
});
