import { createIndexer, informer, listWatch, pods, resource, StatusError, type KubernetesObject } from 'rx-informers';
import {
  controller,
  type ControllerOptions,
  type LogFields,
  type Logger,
  type ReconcileEvent,
} from 'rx-informers/controller';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, createInMemoryApiServer, virtualClock, serverFaults, informerTest } from 'rx-informers/testing';
import { NEVER, takeUntil, timer, type Observable } from 'rxjs';
import type { CacheHealth } from '../../../src/controller/reconcile/readiness.js';
import { watchCaches } from '../../../src/controller/reconcile/watch-caches.js';
import { errorWith } from '../../support/error-with.js';
import { expectOutput } from '../../support/unexpected-output.js';

const minute = 60_000;
const hour = 60 * minute;

describe('controller: when it logs that it waits for a cache', () => {
  const error = (code: number): StatusError => new StatusError({ method: 'GET', url: '/api/v1/pods' }, { code });
  const syncing: CacheHealth = { hasSynced: false, status: undefined, error: undefined };
  const synced: CacheHealth = { ...syncing, hasSynced: true };
  /** Lowercase: has not synced; uppercase: has. */
  const healths = {
    l: syncing,
    f: { ...syncing, error: error(403) },
    n: { ...syncing, error: error(404) },
    G: { ...synced, error: Object.assign(error(410), { expected: true }) },
    B: { ...synced, error: error(500) },
    S: synced,
  };

  /** The logged lines with their seconds, for a health written as marbles. */
  function reports(health: string, until = hour): readonly string[] {
    const lines: string[] = [];
    informerTest(({ cold, scheduler }) => {
      const cache = { trigger: 'for', collection: createIndexer(metaNamespaceKey), health$: cold(health, healths) };
      watchCaches([cache], { syncTimeout: Infinity, scheduler })
        .pipe(takeUntil(timer(until)))
        .subscribe((event) => {
          if (event.type === 'sync-timeout') return;
          const code =
            event.type === 'waiting' && event.error instanceof StatusError ? ` ${event.error.statusCode}` : '';
          lines.push(`${scheduler.now() / 1000} ${event.type}${code}`);
        });
    });
    return lines;
  }

  it('waits 5 s before it logs that a list takes long', () => {
    expect(reports('l 4999ms S')).toEqual([]);
    expect(reports('l 5s S')).toEqual(['5 waiting', '5.001 recovered']);
  });

  it('logs at once that a list or watch fails', () => {
    expect(reports('f', 4_999)).toEqual(['0 waiting 403']);
    expect(reports('1s S 999ms B', 4_999)).toEqual(['2 waiting 500']);
  });

  it('repeats it after 5 s, 10 s, 20 s and so on, at most every five minutes', () => {
    const seconds = [0, 5, 15, 35, 75, 155, 315, 615, 915, 1215, 1515];
    expect(reports('f', 30 * minute)).toEqual(seconds.map((second) => `${second} waiting 403`));
  });

  it('logs an error that is handled by design only if it lasts for 5 s', () => {
    expect(reports('S 999ms G 4999ms S')).toEqual([]);
    expect(reports('S 999ms G 4999ms G', 7_000)).toEqual(['6 waiting 410']);
  });

  it('logs another reason within 5 s', () => {
    expect(reports('f 59999ms n', 75_000)).toEqual([
      '0 waiting 403',
      '5 waiting 403',
      '15 waiting 403',
      '35 waiting 403',
      '60 waiting 404',
    ]);
    expect(reports('f 1999ms n', 6_000)).toEqual(['0 waiting 403', '5 waiting 404']);
  });

  it('logs once that the cache works again', () => {
    expect(reports('S 999ms B 1999ms S 999ms S')).toEqual(['1 waiting 500', '3 recovered']);
  });

  it('does not log each failure of an unstable connection', () => {
    // Every two seconds, for ten minutes.
    const lines = reports('B 999ms S 999ms '.repeat(300), 10 * minute);
    expect(lines.filter((line) => line.endsWith('waiting 500'))).toHaveLength(7);
    expect(lines.length).toBeLessThanOrEqual(14);
  });

  it('logs a failure at once again after a minute without one', () => {
    expect(reports('B 9999ms S 59s 999ms B 999ms S')).toEqual([
      '0 waiting 500',
      '5 waiting 500',
      '10 recovered',
      '70 waiting 500',
      '71 recovered',
    ]);
  });
});

interface Line {
  readonly level: keyof Logger;
  readonly fields: LogFields;
  readonly message: string;
}

function memoryLogger(lines: Line[]): Logger {
  const log = (level: keyof Logger) => (fields: LogFields, message: string) => {
    lines.push({ level, fields, message });
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

interface Widget extends KubernetesObject {
  readonly kind: 'Widget';
}
const widgets = resource<Widget>({ group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true });

describe('controller: what it logs while a cache is missing', () => {
  const notPaged = (path: string): string => path.replace(/\?\S*(?=:)/, '');

  function start(options: Partial<ControllerOptions<KubernetesObject>> = {}) {
    const clock = virtualClock();
    const scheduler = clock;
    const server = createInMemoryApiServer({ scheduler });
    server.apply(aPod({ name: 'a', namespace: 'web' }));
    const lines: Line[] = [];
    const events: ReconcileEvent[] = [];
    const podInformer = informer(listWatch(server.client, pods, { scheduler }), { scheduler });
    const pods$ = controller({
      for: podInformer,
      logger: memoryLogger(lines),
      scheduler,
      ...(options as object),
      reconcile: () => undefined,
    });
    const begin = () => pods$.subscribe((event) => events.push(event));
    const loud = (): readonly string[] =>
      lines
        .filter(({ level }) => level !== 'debug')
        .map(({ level, message, fields }) => `${level} ${message} ${notPaged(String(fields['reason'] ?? ''))}`.trim());
    return { clock, scheduler, server, lines, events, podInformer, begin, loud, pods$ };
  }

  it('without the right to list: logs the resource, the reason and what to do at once, and continues when it is granted', () => {
    const { clock, server, begin, loud, events } = start();
    server.faults.always(
      ({ path }) => path.endsWith('/pods'),
      serverFaults.respond(403, { message: 'pods is forbidden' }),
    );
    const running = begin();
    const forbidden =
      'warn waiting for a cache listing pods failed: GET /api/v1/pods: 403 Forbidden: pods is forbidden; grant list and watch of pods, or read only some namespaces, if it has them: options namespace, inNamespaces';
    expect(loud()).toEqual([forbidden]);
    expect(events[0]).toMatchObject({ type: 'waiting', trigger: 'for', resource: 'pods', hasSynced: false, waited: 0 });
    expect(events[0]).toMatchObject({ error: { statusCode: 403 } });
    clock.advance(minute);
    server.faults.clear();
    clock.advance(minute);
    expect(loud().slice(-2)).toEqual(['info all caches have synced', 'info the cache works again']);
    expect(events.map(({ type }) => type)).toContain('succeeded');
    running.unsubscribe();
  });

  it('logs only a few lines in ten minutes without rights', () => {
    const { clock, server, begin, loud, lines } = start();
    server.faults.always('any', serverFaults.respond(403));
    const running = begin();
    clock.advance(10 * minute);
    // Seven warnings, and the error of `syncTimeout`.
    expect(loud()).toHaveLength(7 + 1);
    const errors = lines.filter(({ message }) => message === 'a cache reported an error');
    expect(errors.length).toBeGreaterThan(10);
    expect(errors.every(({ level, fields }) => level === 'debug' && fields['error'] instanceof Error)).toBe(true);
    running.unsubscribe();
  });

  it('logs that the server cannot be reached, and that a kind is not installed', () => {
    const unreachable = start();
    unreachable.server.faults.always('any', serverFaults.refuse());
    unreachable.begin().unsubscribe();
    expect(unreachable.loud()[0]).toMatch(
      /listing pods failed: GET .*ECONNREFUSED.*check the address of the API server and the network$/,
    );

    const { clock, server, begin, loud } = start();
    const widgetInformer = informer(listWatch(server.client, widgets, { scheduler: clock }));
    const lines: Line[] = [];
    begin().unsubscribe();
    controller({
      for: widgetInformer,
      logger: memoryLogger(lines),
      scheduler: clock,
      reconcile: () => undefined,
    })
      .subscribe()
      .unsubscribe();
    expect(loud()).toEqual(['info all caches have synced']);
    expect(lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({
      resource: 'widgets.example.com',
      reason: expect.stringMatching(/404.*; install widgets.example.com, or correct the group, version and plural$/),
    });
  });

  it('logs also later that a synced cache cannot watch any more, and that it works again', () => {
    const { clock, server, begin, loud, events } = start();
    const running = begin();
    clock.advance(hour);
    expect(loud()).toEqual(['info all caches have synced']);
    server.faults.always('any', serverFaults.respond(503, { message: 'going down' }));
    server.restart();
    clock.advance(minute);
    expect(loud()[1]).toMatch(/^warn waiting for a cache (watching|listing) pods failed: GET .*503.*going down$/);
    expect(events.find(({ type }) => type === 'waiting')).toMatchObject({ hasSynced: true });
    server.faults.clear();
    clock.advance(minute);
    expect(loud().at(-1)).toBe('info the cache works again');
    running.unsubscribe();
  });

  it('names a cache that is used several times once', () => {
    const { clock, server, begin, events, podInformer } = start();
    server.faults.always('any', serverFaults.respond(403));
    begin().unsubscribe();
    const received: ReconcileEvent[] = [];
    controller({
      for: podInformer,
      watches: [{ source: podInformer, map: () => [] }],
      scheduler: clock,
      logger: memoryLogger([]),
      reconcile: () => undefined,
    })
      .subscribe((event) => received.push(event))
      .unsubscribe();
    expect(received.map(({ type }) => type)).toEqual(['waiting']);
    expect(events).toHaveLength(1);
  });

  it('sync-timeout: logs once which caches have not synced and why, and continues to wait', () => {
    const never = createIndexer(metaNamespaceKey);
    const { clock, server, begin, events, loud } = start({ watches: [{ source: never, map: () => [] }] });
    const running = begin();
    clock.advance(2 * minute - 1);
    expect(events.map(({ type }) => type)).not.toContain('sync-timeout');
    clock.advance(hour);
    expect(events.filter(({ type }) => type === 'sync-timeout')).toEqual([
      { type: 'sync-timeout', after: 2 * minute, reasons: ['watches[0]: its objects have not been listed yet'] },
    ]);
    expect(loud().filter((line) => line.startsWith('error'))).toEqual([
      'error caches have not synced in time; still waiting',
    ]);
    never.replace([]);
    expect(loud().slice(-2).toSorted()).toEqual(['info all caches have synced', 'info the cache works again']);
    running.unsubscribe();
    server.stop();
    // The informers linger for a second.
    clock.advance(1_000);
    expect(clock.timers).toBe(0);
  });

  it.each([0.5, 1, Infinity])('reports a sync-timeout with a syncTimeout of %p ms, except Infinity', (syncTimeout) => {
    const { clock, begin, events } = start({ for: createIndexer(metaNamespaceKey), syncTimeout });
    const running = begin();
    clock.advance(1);
    expect(events.map(({ type }) => type)).toEqual(syncTimeout < Infinity ? ['sync-timeout'] : []);
    running.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it.each([-1, NaN, 2 ** 31])('refuses a syncTimeout of %p', (syncTimeout) => {
    expect(() => start({ syncTimeout })).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it('logs nothing more once it is stopping', () => {
    expectOutput(/^pods: StatusError: .* 503/);
    const { clock, server, podInformer, scheduler } = start();
    const types: string[] = [];
    const stopping$ = controller({ for: podInformer, scheduler, reconcile: () => NEVER });
    stopping$.subscribe(({ type }) => types.push(type));
    stopping$.stop();
    server.faults.always('any', serverFaults.respond(503));
    server.restart();
    clock.advance(20_000);
    expect(types).toEqual(['synced', 'started', 'stopping']);
  });

  const waits: readonly (readonly [string, (observed: Observable<unknown>, stop: () => void) => void])[] = [
    ['unsubscribing', (observed) => observed.subscribe().unsubscribe()],
    [
      'stop()',
      (observed, stop) => {
        observed.subscribe();
        stop();
      },
    ],
  ];

  it.each(waits)('leaves no timer behind while a cache is missing: %s', (_how, end) => {
    const { clock, pods$ } = start({ for: createIndexer(metaNamespaceKey) });
    end(pods$, () => {
      pods$.stop();
    });
    expect(clock.timers).toBe(0);
  });
});
