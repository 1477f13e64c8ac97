import { configMaps, filterUpdates, generationChanged, type KubeClient } from 'rx-informers';
import { controller, TerminalError, type ReconcileEvent, type ReconcileRequest } from 'rx-informers/controller';
import { resourceClient, edit } from 'rx-informers/requests';
import { EMPTY, ignoreElements, Subject, throwError, concat, type Observable } from 'rxjs';
import { playhouse, scale, scales, scaleTo, type Scale } from './support/scaling.js';
import { notify } from './support/words.js';

type Playhouse = ReturnType<typeof playhouse>;
const places: Playhouse[] = [];
afterEach(() => {
  for (const { server } of places.splice(0)) server.stop();
});

function place(options?: Parameters<typeof playhouse>[0]): Playhouse {
  const made = playhouse(options);
  places.push(made);
  return made;
}

/** Scales `a` to its size by a cache of children, which may be late. */
function scaling(made: Playhouse, options: { readonly isGuarded?: boolean; readonly observeTimeout?: number } = {}) {
  const { scheduler, client, scaleInformer, children } = made;
  const { isGuarded = true, observeTimeout } = options;
  const stop$ = new Subject<void>();
  const controller$ = controller({
    for: scaleInformer,
    owns: [children],
    client: isGuarded ? client : undefined,
    observeTimeout,
    scheduler,
    stop$,
    reconcile: scaleTo(client, children, scheduler),
  });
  return { controller$, stop$ };
}

describe('controller({ client }): a stale cache', () => {
  it.each([
    ['creates missing children twice, without client', false, 22],
    ['creates no child twice, with client', true, 4],
  ])('a controller over a stale cache: %s', (_what, isGuarded, created) => {
    const made = place({ late: 2_000 });
    const { clock, server, count, requests } = made;
    server.apply(scale('a', 2));
    const { subscription } = notify(scaling(made, { isGuarded }).controller$);
    clock.advance(2_001);
    server.apply(scale('a', 3));
    clock.advance(100);
    server.apply(scale('a', 4));
    clock.advance(10_000);
    expect([requests('POST'), count()]).toEqual([created, 4]);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('deletes no further child while the cache still contains deleted ones', () => {
    const made = place({ late: 2_000 });
    const { clock, server, count, requests } = made;
    server.apply(scale('a', 6));
    const { subscription, words } = notify(scaling(made).controller$);
    clock.advance(5_000);
    for (const size of [5, 4, 3]) {
      server.apply(scale('a', size));
      clock.advance(100);
    }
    clock.advance(10_000);
    expect([requests('POST'), requests('DELETE'), count()]).toEqual([6, 3, 3]);
    expect(words.filter((word) => word.includes(' failed'))).toEqual([]);
    subscription.unsubscribe();
  });

  it('does not run a key again, after it has found its object deleted, before the cache shows the deletion', () => {
    const { clock, scheduler, server, client, lateScales, children } = place();
    const [late, again$] = [lateScales(20_000), new Subject<void>()];
    const scaleClient = resourceClient(client, scales);
    let runs = 0;
    const controlled$ = controller({
      for: late,
      owns: [children],
      client,
      scheduler,
      watches: [{ source: again$, map: () => 'default/a' }],
      reconcile: ({ object, clientOf }: ReconcileRequest<Scale, KubeClient>): Observable<unknown> => {
        runs++;
        if (!object) return EMPTY;
        return edit(clientOf(scaleClient), object, (draft) => {
          draft.status = { runs };
        });
      },
    });
    server.apply(scale('a', 1));
    const { subscription } = notify(controlled$);
    clock.advance(90_000);
    server.remove(scales, 'a', 'default');
    const before = runs;
    for (let second = 0; second < 19; second++) {
      again$.next();
      clock.advance(1_000);
    }
    expect(runs - before).toBe(1);
    clock.advance(10_000);
    expect(runs - before).toBe(2);
    subscription.unsubscribe();
  });

  it('holds the key and not its worker: other keys are reconciled meanwhile', () => {
    const made = place({ late: 2_000 });
    const { clock, server, requests } = made;
    server.apply(['a', 'b', 'c'].map((name) => scale(name, 1)));
    const { subscription } = notify(scaling(made).controller$);
    clock.advance(2_001);
    expect(requests('POST')).toBe(3);
    subscription.unsubscribe();
  });

  it('reports after ten seconds which write is missing in which cache, and when the key is released', () => {
    const made = place({ late: 15_000 });
    const { clock, server } = made;
    server.apply(scale('a', 1));
    const { subscription, news } = notify(scaling(made).controller$);
    clock.advance(15_001);
    news();
    clock.advance(40_000);
    const [name] = server.objects.list(configMaps).map(({ metadata }) => metadata.name);
    expect(news()).toEqual([
      `default/a held unobserved 10000: create configmaps default/${name} in owns[0]`,
      'default/a released unobserved 15000',
      'default/a started',
      'default/a succeeded',
    ]);
    subscription.unsubscribe();
  });

  it('releases the key after observeTimeout, reports what is missing, and continues', () => {
    const made = place({ late: 60_000 });
    const { clock, server } = made;
    server.apply(scale('a', 1));
    const { subscription, news } = notify(scaling(made, { observeTimeout: 5_000 }).controller$);
    clock.advance(60_001);
    server.apply(scale('a', 2));
    news();
    const [name] = server.objects.list(configMaps).map(({ metadata }) => metadata.name);
    clock.advance(5_001);
    expect(news()).toEqual([
      `default/a released unobserved 5000: create configmaps default/${name} in owns[0]`,
      'default/a started',
      'default/a succeeded',
    ]);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['a selector that does not match its children', { labelSelector: 'app=other' }],
    ['another namespace', { namespace: 'kube-system' }],
  ])('does not wait for a cache with %s', (_what, options) => {
    const made = place(options);
    const { clock, server, count } = made;
    server.apply(scale('a', 1));
    const { subscription, words } = notify(scaling(made).controller$);
    clock.advance(10);
    server.apply(scale('a', 2));
    clock.advance(10);
    expect(words).toEqual([
      'synced',
      'default/a started',
      'default/a succeeded',
      'default/a started',
      'default/a succeeded',
    ]);
    expect(count()).toBe(3);
    subscription.unsubscribe();
  });

  it('does not wait after a write with waitForCache: false', () => {
    const made = place({ late: 2_000 });
    const { clock, client, server, scheduler, scaleInformer, children } = made;
    const childClient = resourceClient(client, configMaps, { scheduler });
    server.apply(scale('a', 1));
    const { subscription, words } = notify(
      controller({
        for: scaleInformer,
        owns: [children],
        client,
        scheduler,
        reconcile: ({ client: recording }) =>
          childClient
            .via(recording)
            .create({ metadata: { generateName: 'a-', namespace: 'default' } }, { waitForCache: false })
            .pipe(ignoreElements()),
      }),
    );
    clock.advance(2_001);
    server.apply(scale('a', 2));
    clock.advance(1);
    expect(words).toEqual([
      'synced',
      'default/a started',
      'default/a succeeded',
      'default/a started',
      'default/a succeeded',
    ]);
    subscription.unsubscribe();
  });

  it.each([
    ['when the last of them shows it', undefined, 3_000],
    ['when observeTimeout has passed, although one shows it', 2_000, 2_000],
  ])('reports a write that two caches lack once, %s', (_when, observeTimeout, took) => {
    const made = place();
    const { clock, server, client, scheduler, lateScales } = made;
    server.apply(scale('a', 1));
    const observed: number[] = [];
    const { subscription } = notify(
      controller({
        for: lateScales(1_000),
        watches: [{ source: lateScales(3_000), map: () => [] }],
        client,
        observeTimeout,
        scheduler,
        metrics: { observed: (milliseconds) => observed.push(milliseconds) },
        reconcile: ({ object, client: recording }) =>
          object?.status?.runs === undefined
            ? edit(
                resourceClient<Scale>(client, scales, { scheduler }).via(recording),
                object as Scale,
                (draft) => {
                  draft.status = { runs: 1 };
                },
                { subresource: 'status' },
              ).pipe(ignoreElements())
            : EMPTY,
      }),
    );
    clock.advance(20_000);
    expect(observed).toEqual([took]);
    subscription.unsubscribe();
  });

  it('does not delay a stop: a key is held only if it is to run again', () => {
    const made = place({ late: 2_000 });
    const { clock, server } = made;
    server.apply(scale('a', 1));
    const { controller$, stop$ } = scaling(made);
    const { words } = notify(controller$);
    clock.advance(2_001);
    stop$.next();
    clock.advance(1);
    expect(words.slice(-3)).toEqual(['stopping stop', 'stopped after 0: 0 aborted, 0 dropped', 'complete']);
  });

  it('finishes keys that were requested before a stop on an up-to-date cache', () => {
    const made = place({ late: 2_000 });
    const { clock, server, count } = made;
    server.apply(scale('a', 1));
    const { controller$, stop$ } = scaling(made);
    const { words } = notify(controller$);
    clock.advance(2_001);
    server.apply(scale('a', 3));
    clock.advance(1);
    stop$.next();
    clock.advance(10_000);
    expect(count()).toBe(3);
    expect(words.at(-1)).toBe('complete');
  });

  it('remembers writes for the next subscription if the caches stayed connected', () => {
    const made = place({ late: 2_000 });
    const { clock, server, requests, children, scaleInformer } = made;
    const warm = [children.connect(), scaleInformer.connect()];
    server.apply(scale('a', 3));
    const { controller$ } = scaling(made);
    const first = controller$.subscribe();
    clock.advance(2_001);
    first.unsubscribe();
    const second = controller$.subscribe();
    clock.advance(10_000);
    expect(requests('POST')).toBe(3);
    second.unsubscribe();
    for (const connection of warm) connection.unsubscribe();
    expect(clock.timers).toBe(0);
  });
});

/** A run that always triggers itself would never let virtual time end, so it stops sometime. */
const maxRuns = 200;

/** Counts its runs in the status of its object, then fails. */
function failing(made: Playhouse, fail: () => Error) {
  const { client, scheduler } = made;
  const scaleClient = resourceClient<Scale>(client, scales, { scheduler });
  return ({ object, client: recording }: ReconcileRequest<Scale>): Observable<never> => {
    if (!object || (object.status?.runs ?? 0) >= maxRuns) return EMPTY;
    const written$ = edit(
      scaleClient.via(recording as KubeClient),
      object,
      (draft) => {
        draft.status = { ...draft.status, runs: (object.status?.runs ?? 0) + 1 };
      },
      { subresource: 'status' },
    );
    return concat(written$.pipe(ignoreElements()), throwError(fail));
  };
}

/** Counts the runs within `time`. */
function runsWithin(time: number, made: Playhouse, controller$: Observable<ReconcileEvent>): number {
  let runs = 0;
  const subscription = controller$.subscribe(({ type }) => {
    if (type === 'started') runs++;
  });
  made.clock.advance(time);
  subscription.unsubscribe();
  return runs;
}

describe('controller({ client }): a run that writes and fails', () => {
  it.each([0, 3])('W6: waits longer each time, although it writes its status; the watch is %i ms late', (late) => {
    const made = place();
    made.server.apply(scale('a', 1));
    const { client, scheduler } = made;
    const scaleInformer = late === 0 ? made.scaleInformer : made.lateScales(late);
    const reconcile = failing(made, () => new Error('as planned'));
    const controller$ = controller({ for: scaleInformer, client, scheduler, reconcile });
    // 5 ms, 10 ms, 20 ms … 5,120 ms: eleven tries within 8 seconds.
    expect(runsWithin(8_000, made, controller$)).toBeLessThanOrEqual(12);
  });

  it('runs at once when another client changes its object', () => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer } = made;
    server.apply(scale('a', 1));
    const reconcile = failing(made, () => new Error('as planned'));
    const { news, subscription } = notify(controller({ for: scaleInformer, client, scheduler, reconcile }));
    clock.advance(6_000);
    news();
    clock.advance(1_000);
    expect(news()).toEqual([]);
    server.apply(scale('a', 2));
    clock.advance(0);
    expect(news()).toEqual([expect.stringContaining('default/a started'), expect.stringContaining('default/a failed')]);
    subscription.unsubscribe();
  });

  it('is not retried because of its own status after a TerminalError, but when its object changes', () => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer } = made;
    server.apply(scale('a', 1));
    const reconcile = failing(made, () => new TerminalError('the spec makes no sense'));
    const { news, subscription } = notify(controller({ for: scaleInformer, client, scheduler, reconcile }));
    clock.advance(60_000);
    expect(news()).toEqual(['synced', 'default/a started', 'default/a failed: terminal']);
    server.apply(scale('a', 2));
    clock.advance(0);
    expect(news()).toEqual(['default/a started', 'default/a failed: terminal']);
    subscription.unsubscribe();
  });
});

describe('controller({ client }): a run that triggers itself', () => {
  const counting = (made: Playhouse, last: number) => {
    const scaleClient = resourceClient<Scale>(made.client, scales, { scheduler: made.scheduler });
    return ({ object, client: recording }: ReconcileRequest<Scale, KubeClient>): Observable<unknown> => {
      if (!object || (object.status?.runs ?? 0) >= last) return EMPTY;
      const recipe = (draft: { status?: Scale['status'] | undefined }): void => {
        draft.status = { runs: (object.status?.runs ?? 0) + 1 };
      };
      return edit(scaleClient.via(recording), object, recipe, { subresource: 'status' }).pipe(ignoreElements());
    };
  };

  it('continues at once through several steps of one task', () => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer } = made;
    server.apply(scale('a', 1));
    const { subscription } = notify(
      controller({ for: scaleInformer, client, scheduler, reconcile: counting(made, 10) }),
    );
    clock.advance(1);
    expect(server.objects.list<Scale>(scales)[0]?.status).toEqual({ runs: 10 });
    subscription.unsubscribe();
  });

  it.each([0, 5])('is slowed down after ten runs in a row, and reported once; debounce is %i ms', (debounce) => {
    const made = place();
    made.server.apply(scale('a', 1));
    const warnings: unknown[] = [];
    const ignore = (): void => undefined;
    const logger = { debug: ignore, info: ignore, warn: (fields: unknown) => warnings.push(fields), error: ignore };
    const { client, scheduler, scaleInformer } = made;
    const controller$ = controller({
      for: scaleInformer,
      client,
      scheduler,
      logger,
      debounce,
      reconcile: counting(made, maxRuns),
    });
    expect(runsWithin(8_000, made, controller$)).toBeLessThanOrEqual(25);
    expect(warnings).toEqual([expect.objectContaining({ key: 'default/a', runs: 10 })]);
  });

  it('runs at once when another client changes its object, and may then go through several steps again', () => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer } = made;
    server.apply(scale('a', 1));
    const reconcile = counting(made, maxRuns);
    const { news, subscription } = notify(controller({ for: scaleInformer, client, scheduler, reconcile }));
    clock.advance(30_000);
    news();
    server.apply(scale('a', 2));
    clock.advance(0);
    expect(news().filter((word) => word === 'default/a started').length).toBeGreaterThanOrEqual(10);
    subscription.unsubscribe();
  });

  it('needs no trigger by its own status: with a generation filter it misses nothing', () => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer } = made;
    const scaleClient = resourceClient<Scale>(client, scales, { scheduler });
    server.apply(scale('a', 1));
    const { subscription } = notify(
      controller({
        for: { source: scaleInformer, through: filterUpdates(generationChanged) },
        client,
        scheduler,
        reconcile: ({ object, client: recording }) =>
          object &&
          edit(
            scaleClient.via(recording),
            object,
            (draft) => {
              draft.status = { seen: object.spec.replicas };
            },
            { subresource: 'status' },
          ).pipe(ignoreElements()),
      }),
    );
    clock.advance(10);
    // Changes and reverts it, while the cache is behind.
    for (const size of [2, 1, 2, 1]) server.apply(scale('a', size));
    clock.advance(10);
    expect(server.objects.list<Scale>(scales)[0]?.status).toEqual({ seen: 1 });
    subscription.unsubscribe();
  });
});
