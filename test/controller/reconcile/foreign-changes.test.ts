import {
  configMaps,
  informer,
  listWatch,
  type ConfigMap,
  type Informer,
  type KubeClient,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import { controller, TerminalError, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient, edit } from 'rx-informers/requests';
import { latestOnly } from 'rx-informers/store';
import {
  auditTime,
  buffer,
  concat,
  connect,
  EMPTY,
  filter,
  ignoreElements,
  map,
  throwError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { expectOutput } from '../../support/unexpected-output.js';
import { playhouse, scale, scales, type Scale } from './support/scaling.js';
import { notify } from './support/words.js';

type Playhouse = ReturnType<typeof playhouse>;
const places: Playhouse[] = [];
beforeEach(() => {
  expectOutput(/were written without the client of the run/);
});
afterEach(() => {
  for (const { server } of places.splice(0)) server.stop();
});

function place(): Playhouse {
  const made = playhouse();
  places.push(made);
  return made;
}

/** Returns a cache that gets the events of 50 ms in one batch, of each key only the newest. */
function mergingCache<T extends KubernetesObject>({ client, scheduler }: Playhouse, kind: Resource<T>): Informer<T> {
  const merged$ = listWatch(client, kind, { scheduler, random: () => 0 }).pipe(
    connect((batches$) => batches$.pipe(buffer(batches$.pipe(auditTime(50, scheduler))))),
    map((batches) => batches.flat()),
    filter((batch) => batch.length > 0),
  );
  return informer(merged$, { linger: 0, scheduler, resource: kind, dedup: latestOnly });
}

/** The wrong spec, which makes runs fail, and the spec with which the user corrects it. */
const wrong = 1;
const corrected = 2;

interface Correction {
  readonly cache: Informer<Scale>;
  /** The write of the run after the correction. */
  readonly write: (own: KubeClient, object: Scale, scheduler: SchedulerLike) => Observable<unknown>;
  readonly fail: () => Error;
  readonly maxRetries?: number;
}

/** A user corrects the object during the first run. Then this run writes, and fails. */
function correctedDuringARun(made: Playhouse, { cache, write, fail, maxRetries }: Correction) {
  const { clock, server, client, scheduler } = made;
  const user = resourceClient(server.client, scales);
  server.apply({ ...scale('a', wrong), metadata: { ...scale('a', wrong).metadata, labels: { managed: 'yes' } } });
  // An earlier process has applied the same fields.
  applyAgain(server.client).subscribe();
  let hasCorrected = false;
  let seenAfter: number | undefined;
  const reconcile = ({ object, client: own }: ReconcileRequest<Scale, KubeClient>): Observable<unknown> => {
    if (object?.spec.replicas !== wrong) {
      seenAfter ??= clock.now();
      return EMPTY;
    }
    const correction$ = hasCorrected ? EMPTY : user.patch('default/a', { spec: { replicas: corrected } });
    hasCorrected = true;
    return concat(correction$, write(own, object, scheduler), throwError(fail)).pipe(ignoreElements());
  };
  const { words, subscription } = notify(controller({ for: cache, client, scheduler, maxRetries, reconcile }));
  clock.advance(60_000);
  subscription.unsubscribe();
  return { words, seenAfter };
}

const labelAgain = (own: KubeClient): Observable<unknown> =>
  resourceClient(own, scales).patch('default/a', { metadata: { labels: { managed: 'yes' } } });
const applyAgain = (own: KubeClient): Observable<unknown> =>
  resourceClient(own, scales, { fieldManager: 'test' }).apply({
    metadata: { name: 'a', namespace: 'default', labels: { managed: 'yes' } },
  });
const editStatus = (own: KubeClient, object: Scale, scheduler: SchedulerLike): Observable<unknown> =>
  edit(
    resourceClient(own, scales, { scheduler }),
    object,
    (draft) => {
      draft.status = { ...draft.status, seen: object.spec.replicas };
    },
    { subresource: 'status' },
  );
const patchStatus = (own: KubeClient): Observable<unknown> =>
  resourceClient(own, scales).patch('default/a', { status: { seen: 1 } }, { subresource: 'status' });
const terminal = (): Error => new TerminalError('the spec makes no sense');
const temporary = (): Error => new Error('as planned');

describe('controller({ client }): a change of another client during a run that fails', () => {
  it.each([
    ['a patch that changes nothing, and the error is terminal', labelAgain, terminal, undefined],
    ['an apply of the same fields, and the error is terminal', applyAgain, terminal, undefined],
    ['a patch that changes nothing, and no retry is left', labelAgain, temporary, 0],
  ])('leads to another run after %s', (_what, write, fail, maxRetries) => {
    const made = place();
    const { words, seenAfter } = correctedDuringARun(made, {
      cache: made.scaleInformer,
      write,
      fail,
      ...(maxRetries === undefined ? {} : { maxRetries }),
    });
    expect(seenAfter).toBeDefined();
    expect(words.filter((word) => word === 'default/a started')).toHaveLength(2);
  });

  it.each([
    ['an edit that names the version of that change', editStatus],
    ['a patch that names no version', patchStatus],
  ])('leads to another run if the cache gets it in one version with %s', (_what, write) => {
    const made = place();
    const { words, seenAfter } = correctedDuringARun(made, {
      cache: mergingCache(made, scales),
      write,
      fail: terminal,
    });
    expect(seenAfter).toBeDefined();
    expect(words.filter((word) => word === 'default/a started')).toHaveLength(2);
  });
});

/** Writes something new in each run, without naming a version, and fails. */
function writingAndFailing({ clock }: Playhouse, fail: () => Error) {
  let runs = 0;
  const reconcile = ({ object, client: own }: ReconcileRequest<Scale, KubeClient>): Observable<unknown> => {
    if (!object) return EMPTY;
    runs++;
    const status$ = resourceClient(own, scales).patch(
      'default/a',
      { status: { runs, seen: clock.now() } },
      { subresource: 'status' },
    );
    return concat(status$, throwError(fail)).pipe(ignoreElements());
  };
  return { reconcile, runs: () => runs };
}

describe('controller({ client }): a run that patches a changing status, and fails', () => {
  it.each([
    ['terminal', terminal, undefined, 11],
    ['not terminal', temporary, undefined, 11],
    // Each of these runs has two retries.
    ['not terminal, with two retries', temporary, 2, 15],
  ])('waits longer each time if its error is %s', (_what, fail, maxRetries, most) => {
    const made = place();
    made.server.apply(scale('a', 1));
    const { client, scheduler, scaleInformer, clock } = made;
    const { reconcile, runs } = writingAndFailing(made, fail);
    const subscription = controller({ for: scaleInformer, client, scheduler, maxRetries, reconcile }).subscribe();
    clock.advance(8_000);
    expect(runs()).toBeGreaterThan(5);
    expect(runs()).toBeLessThanOrEqual(most);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('runs at once when another client changes its object, and then waits shortly again', () => {
    const made = place();
    made.server.apply(scale('a', 1));
    const { client, scheduler, scaleInformer, clock, server } = made;
    const { reconcile } = writingAndFailing(made, terminal);
    const { news, subscription } = notify(controller({ for: scaleInformer, client, scheduler, reconcile }), clock);
    clock.advance(6_000);
    news();
    resourceClient(server.client, scales)
      .patch('default/a', { spec: { replicas: 5 } })
      .subscribe();
    clock.advance(20);
    expect(news().filter((word) => word.endsWith(' started'))).toEqual([
      '6000 default/a started',
      '6005 default/a started',
      '6015 default/a started',
    ]);
    subscription.unsubscribe();
  });

  it('runs once after the run has patched several objects', () => {
    const made = place();
    const { client, scheduler, scaleInformer, children, clock, server, requests } = made;
    server.apply(scale('a', 1));
    let isFirst = true;
    const created = (own: KubeClient, name: string): Observable<ConfigMap> =>
      resourceClient(own, configMaps, { fieldManager: 'test' }).apply({ metadata: { name, namespace: 'default' } });
    const { words, subscription } = notify(
      controller({
        for: scaleInformer,
        watches: [{ source: children, map: () => 'default/a' }],
        client,
        scheduler,
        reconcile: ({ client: own }) => {
          if (!isFirst) return EMPTY;
          isFirst = false;
          return concat(created(own, 'x'), created(own, 'y'), created(own, 'z'), throwError(terminal)).pipe(
            ignoreElements(),
          );
        },
      }),
    );
    clock.advance(60_000);
    expect(requests('PATCH')).toBe(3);
    expect(words.filter((word) => word === 'default/a started')).toHaveLength(2);
    subscription.unsubscribe();
  });
});
