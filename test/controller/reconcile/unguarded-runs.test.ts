import { jest } from '@jest/globals';
import { configMaps, createIndexer, informer, listWatch, type ConfigMap, type KubeClient } from 'rx-informers';
import { controller, setControllerReference, type Logger, type ReconcileRequest } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { resourceClient, type ResourceClient } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { EMPTY, NEVER, concat, defer, ignoreElements, timer, type Observable } from 'rxjs';
import { playhouse, scale, type Scale } from './support/scaling.js';

type Playhouse = ReturnType<typeof playhouse>;
type Request = ReconcileRequest<Scale, KubeClient>;
type Children = ResourceClient<ConfigMap>;

const places: Playhouse[] = [];
const environment = process.env['NODE_ENV'];
afterEach(() => {
  process.env['NODE_ENV'] = environment;
  jest.restoreAllMocks();
  for (const { server } of places.splice(0)) server.stop();
});

function place(late = 2_000): Playhouse {
  const made = playhouse({ late });
  places.push(made);
  return made;
}

/** A line of the log, with its message. */
type Line = Readonly<Record<string, unknown>>;

/** Returns a logger that collects its warnings. */
function warningLog() {
  const warnings: Line[] = [];
  const ignore = (): void => undefined;
  const warn = (fields: object, message: string): void => void warnings.push({ ...fields, message });
  const logger: Logger = { debug: ignore, info: ignore, warn, error: ignore };
  return { warnings, logger };
}

/** Runs `reconcile` for a scale that is changed three times. Returns the warnings in the log. */
function warningsOf(
  { clock, client, scheduler, scaleInformer, children, server }: Playhouse,
  reconcile: (request: Request) => unknown,
  { isListed = true } = {},
): readonly Line[] {
  const { warnings, logger } = warningLog();
  const owns = isListed ? [children] : [];
  const subscription = controller({
    for: scaleInformer,
    owns,
    client,
    scheduler,
    logger,
    reconcile,
    name: 'scaler',
  }).subscribe();
  clock.advance(2_001);
  for (let size = 1; size <= 3; size++) {
    server.apply(scale('a', size));
    clock.advance(5_000);
  }
  subscription.unsubscribe();
  return warnings;
}

let names = 0;
/** Returns a new child. The name is unique, as a name that the server generates. */
function childOf(object: Scale) {
  names++;
  return setControllerReference(object, { metadata: { name: `child-${names}`, namespace: 'default' } });
}

/** Returns a reconcile that creates one child, through the client that `clientOf` returns. */
function createsOne(made: Playhouse, clientOf: (request: Request, own: Children) => Children) {
  const own = resourceClient(made.client, configMaps, { scheduler: made.scheduler });
  return (request: Request): Observable<never> =>
    !request.object || made.count() > 0
      ? EMPTY
      : clientOf(request, own).create(childOf(request.object)).pipe(ignoreElements());
}

const withoutVia = (_request: Request, own: Children): Children => own;

/** Sends requests through the client of the run, without their property `recordWrites`. */
const throughWrapper = ({ client }: Request, own: Children): Children =>
  own.via({
    exchange: ({ method, path, query, headers, body }) => client.exchange({ method, path, query, headers, body }),
  });

describe('controller({ client }): request.clientOf', () => {
  it.each([
    ['of a resource', ({ clientOf }: Request, { scheduler }: Playhouse) => clientOf(configMaps, { scheduler })],
    [
      'of a long-lived client',
      ({ clientOf }: Request, { client, scheduler }: Playhouse) =>
        clientOf(resourceClient(client, configMaps, { scheduler })),
    ],
  ])('returns a client %s, whose writes are writes of the run, so nothing is created twice', (_what, clientOf) => {
    const made = place();
    const { clock, server, client, scheduler, scaleInformer, children, count } = made;
    server.apply(scale('a', 1));
    const subscription = controller({
      for: scaleInformer,
      owns: [children],
      client,
      scheduler,
      reconcile: (request) => {
        const { object } = request;
        if (!object || children.list().length >= object.spec.replicas) return EMPTY;
        return clientOf(request, made).create(childOf(object)).pipe(ignoreElements());
      },
    }).subscribe();
    clock.advance(2_001);
    for (const size of [2, 1, 2]) {
      server.apply(scale('a', size));
      clock.advance(100);
    }
    clock.advance(10_000);
    expect(count()).toBe(2);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('keeps the options of a long-lived client, and passes on the options for a resource', () => {
    const made = place();
    const { client, scheduler, server } = made;
    const own = resourceClient(client, configMaps, { scheduler, fieldManager: 'long-lived' });
    warningsOf(made, ({ object, client: runClient, clientOf }) => {
      if (!object || made.count() > 0) return undefined;
      const clients = [clientOf(own), clientOf(configMaps, { scheduler, fieldManager: 'of-the-run' })];
      expect(clients.map((each) => each.client)).toEqual([runClient, runClient]);
      return concat(...clients.map((each) => each.apply(childOf(object)))).pipe(ignoreElements());
    });
    const managers = server.objects.list(configMaps).map(({ metadata }) => metadata.managedFields?.[0]?.manager);
    expect(managers).toEqual(['long-lived', 'of-the-run']);
  });

  it('is undefined without the option client, like the client', () => {
    const { clock, scheduler, server, scaleInformer } = place();
    server.apply(scale('a', 1));
    const clients: unknown[] = [];
    const subscription = controller({
      for: scaleInformer,
      scheduler,
      reconcile: ({ client, clientOf }) => void clients.push(client, clientOf),
    }).subscribe();
    clock.advance(1);
    expect(clients).toEqual([undefined, undefined]);
    subscription.unsubscribe();
  });
});

describe('controller: collections that reconcile reads and that are not listed', () => {
  it('are each named in one warning in development', () => {
    const made = place();
    const { children } = made;
    const reconcile = (): number => children.list().length + children.keys().length;
    expect(warningsOf(made, reconcile, { isListed: false })).toEqual([
      {
        controller: 'scaler',
        collection: 'configmaps',
        message: expect.stringContaining('Add it to owns or watches'),
      },
    ]);
  });

  it('are named without the option client too, because no run waits until they have synced', () => {
    const { clock, scheduler, server, scaleInformer, children } = place();
    const { warnings, logger } = warningLog();
    server.apply(scale('a', 1));
    const reconcile = (): void => void children.get('default/a');
    const subscription = controller({ for: scaleInformer, scheduler, logger, reconcile }).subscribe();
    clock.advance(1);
    expect(warnings).toMatchObject([{ collection: 'configmaps' }]);
    subscription.unsubscribe();
  });

  it('are named on the console if the controller has no logger', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { clock, scheduler, server, scaleInformer, children } = place();
    server.apply(scale('a', 1));
    const reconcile = (): void => void children.get('default/a');
    const subscription = controller({ for: scaleInformer, scheduler, reconcile }).subscribe();
    clock.advance(1);
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^controller: .*does not list.* collection=configmaps$/)]]);
    subscription.unsubscribe();
  });

  it('are named if a derived collection is computed from them', () => {
    const made = place();
    const { children, scaleInformer } = made;
    const union = derived.union([
      derived.filter(scaleInformer, () => true, { name: 'all scales' }),
      derived.filter(children, () => true, { name: 'all children' }),
    ]);
    expect(warningsOf(made, () => void union.list(), { isListed: false })).toMatchObject([
      { collection: 'union(all scales, all children)' },
    ]);
  });

  it('do not include listed collections, what is derived from them, nor an indexer that the program fills', () => {
    const made = place();
    const { children, scaleInformer } = made;
    const named = derived.filter(children, ({ metadata }) => metadata.name !== '');
    const joined = derived.union([derived.filter(scaleInformer, () => true), named]);
    const indexer = createIndexer<ConfigMap>(metaNamespaceKey);
    let reads = 0;
    const warnings = warningsOf(made, () => {
      reads += [children.list(), scaleInformer.keys(), named.list(), joined.keys(), indexer.list()].length;
    });
    expect(reads).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
  });

  it('do not include a collection that is listed in watches, with or without through', () => {
    const { clock, scheduler, server, scaleInformer, children, lateScales } = place();
    const { warnings, logger } = warningLog();
    server.apply(scale('a', 1));
    const others = lateScales(1);
    let runs = 0;
    const subscription = controller({
      for: scaleInformer,
      watches: [
        { source: children, map: () => [] },
        { source: others, through: (changes$) => changes$, map: () => null },
      ],
      scheduler,
      logger,
      reconcile: () => {
        runs += 1;
        children.list();
        others.list();
      },
    }).subscribe();
    clock.advance(3_000);
    expect(runs).toBeGreaterThan(0);
    expect(warnings).toEqual([]);
    subscription.unsubscribe();
  });

  it('are not searched if a listed collection is not one of this package, because it may read any of them', () => {
    const made = place();
    const { children } = made;
    const own = {
      changes$: children.changes$,
      snapshot$: children.snapshot$,
      get$: (key: string) => children.get$(key),
      synced$: children.synced$,
      status$: children.status$,
      errors$: children.errors$,
      resource: configMaps,
      get snapshot() {
        return children.snapshot;
      },
      get hasSynced() {
        return children.hasSynced;
      },
    };
    let reads = 0;
    const read = (): void => {
      reads += own.snapshot.list().length + 1;
    };
    const lists = { ...made, children: own as typeof children };
    expect(warningsOf(lists, read)).toEqual([]);
    expect(reads).toBeGreaterThan(0);
  });

  it('do not include what other code reads, before, between and during runs', () => {
    const made = place();
    const { children, scheduler, scaleInformer } = made;
    const other = informer(listWatch(made.client, configMaps, { scheduler }), { scheduler, name: 'other' });
    const read = (): number => other.list().length + children.list().length;
    const subscription = scaleInformer.changes$.subscribe(read);
    let readsDuringRun = 0;
    const warnings = warningsOf(
      made,
      () =>
        defer(() => {
          scheduler.schedule(() => {
            read();
            readsDuringRun++;
          }, 10);
          return timer(20, scheduler).pipe(ignoreElements());
        }),
      { isListed: false },
    );
    subscription.unsubscribe();
    expect(readsDuringRun).toBe(3);
    expect(warnings).toEqual([]);
  });
});

describe('controller({ client }): writes that are not sent through the client of the run', () => {
  it('are named in one warning in development if they trigger the key of the run', () => {
    const made = place();
    expect(warningsOf(made, createsOne(made, withoutVia))).toEqual([
      {
        controller: 'scaler',
        key: 'default/a',
        write: expect.stringMatching(/^create configmaps default\/child-\d+$/),
        message: expect.stringContaining('request.clientOf'),
      },
    ]);
  });

  it('are recognised if the watch shows them before the run has ended', () => {
    const made = place(0);
    const create = createsOne(made, withoutVia);
    const reconcile = (request: Request): Observable<unknown> =>
      concat(create(request), timer(1_000, made.scheduler).pipe(ignoreElements()));
    expect(warningsOf(made, reconcile)).toMatchObject([{ key: 'default/a' }]);
  });

  it('are recognised if they delete an object', () => {
    const made = place();
    const { children, client, scheduler } = made;
    const own = resourceClient(client, configMaps, { scheduler });
    const reconcile = ({ object, clientOf }: Request): unknown => {
      const [child] = children.list();
      if (child) return own.delete(child).pipe(ignoreElements());
      return object?.spec.replicas === 1
        ? clientOf(configMaps, { scheduler }).create(childOf(object)).pipe(ignoreElements())
        : undefined;
    };
    expect(warningsOf(made, reconcile)).toMatchObject([{ write: expect.stringMatching(/^delete configmaps/) }]);
  });

  it.each([
    ['through via', ({ client }: Request, own: Children) => own.via(client)],
    ['through clientOf', ({ clientOf }: Request, own: Children) => clientOf(own)],
    [
      'through a wrapper that passes on all properties',
      ({ client }: Request, own: Children) =>
        own.via({ ...client, exchange: (request) => client.exchange({ ...request, headers: { ...request.headers } }) }),
    ],
  ])('do not include writes %s', (_what, clientOf) => {
    const made = place();
    expect(warningsOf(made, createsOne(made, clientOf))).toEqual([]);
    expect(made.count()).toBe(1);
  });

  it('do not include writes between runs, of other keys, or of another program', () => {
    const made = place(100);
    const { server, clock, client, scheduler } = made;
    const own = resourceClient(client, configMaps, { scheduler });
    server.apply([scale('b', 1), scale('c', 1)]);
    const reconcile = ({ key, object, reasons }: Request): unknown => {
      if (!object) return undefined;
      // A run of another key is in progress all the time.
      if (key === 'default/b') return NEVER;
      if (key === 'default/c') return undefined;
      // Another program writes during the run.
      if (reasons.some(({ type }) => type === 'primary'))
        server.apply({ apiVersion: 'v1', kind: 'ConfigMap', ...childOf(object) });
      return timer(50, scheduler).pipe(ignoreElements());
    };
    const { warnings, logger } = warningLog();
    const subscription = controller({
      for: made.scaleInformer,
      owns: [made.children],
      client,
      scheduler,
      logger,
      concurrency: 3,
      reconcile,
    }).subscribe();
    server.apply(scale('a', 1));
    clock.advance(1_000);
    const parent = made.scaleInformer.get('default/c') as Scale;
    own.create(childOf(parent)).subscribe();
    clock.advance(1_000);
    expect(made.count()).toBe(2);
    expect(warnings).toEqual([]);
    subscription.unsubscribe();
  });

  it('are remembered until 256 later writes have followed during runs', () => {
    const warningsWith = ({ during = 0, after = 0 }): readonly Line[] => {
      const made = place();
      const { client, scheduler, children } = made;
      const own = resourceClient(client, configMaps, { scheduler });
      const writes = (prefix: string, count: number): readonly Observable<ConfigMap>[] =>
        Array.from({ length: count }, (_, index) =>
          own.create({ metadata: { name: `${prefix}-${index}`, namespace: 'default' } }),
        );
      return warningsOf(made, ({ object }) => {
        if (!object || children.list().length > 0) return undefined;
        scheduler.schedule(() => concat(...writes('after', after)).subscribe(), 1_000);
        return concat(own.create(childOf(object)), ...writes('during', during)).pipe(ignoreElements());
      });
    };
    expect(warningsWith({ during: 255 })).toHaveLength(1);
    expect(warningsWith({ during: 256 })).toEqual([]);
    expect(warningsWith({ after: 257 })).toHaveLength(1);
  });
});

describe('controller({ client }): a wrapper of the client that drops properties of requests', () => {
  it('is named in one warning, with the request', () => {
    const made = place();
    expect(warningsOf(made, createsOne(made, throughWrapper))).toEqual([
      {
        controller: 'scaler',
        key: 'default/a',
        request: 'POST /api/v1/namespaces/default/configmaps',
        message: expect.stringContaining('pass on all properties'),
      },
    ]);
  });

  it('is named in production too, in the log of the controller', () => {
    process.env['NODE_ENV'] = 'production';
    const made = place();
    expect(warningsOf(made, createsOne(made, throughWrapper))).toHaveLength(1);
  });

  it('is not named for reads', () => {
    const made = place();
    const { scheduler } = made;
    const warnings = warningsOf(made, ({ client }) => {
      const wrapper: KubeClient = { exchange: ({ method, path }) => client.exchange({ method, path }) };
      return resourceClient(wrapper, configMaps, { scheduler }).list({ namespace: 'default' }).pipe(ignoreElements());
    });
    expect(warnings).toEqual([]);
  });
});

describe('controller in production', () => {
  it('warns of no reads and no writes, and writes nothing on the console', () => {
    process.env['NODE_ENV'] = 'production';
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const made = place();
    const { clock, scheduler, server, scaleInformer, children, client } = made;
    const other = informer(client, configMaps, { scheduler, name: 'other' });
    const create = createsOne(made, withoutVia);
    const reconcile = (request: Request): unknown => {
      other.list();
      return create(request);
    };
    expect(warningsOf(made, reconcile)).toEqual([]);
    expect(made.count()).toBe(1);
    const subscription = controller({
      for: scaleInformer,
      owns: [children],
      client,
      scheduler,
      reconcile: createsOne(made, throughWrapper),
    }).subscribe();
    server.apply(scale('a', 9));
    clock.advance(5_000);
    expect(warn).not.toHaveBeenCalled();
    subscription.unsubscribe();
  });
});
