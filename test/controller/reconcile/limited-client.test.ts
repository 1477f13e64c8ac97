import { defer, mergeMap, NEVER, Subject, throwError, timer, type SchedulerLike } from 'rxjs';
import { configMaps, informer, limitedClient, listWatch, type KubeClient } from 'rx-informers';
import { CallTimeoutError, controller, resourceClient } from 'rx-informers/controller';
import { aConfigMap, createInMemoryApiServer, virtualClock, serverFaults } from 'rx-informers/testing';
import { recordingClient } from '../../../src/controller/api/recording-client.js';
import { statusError } from '../../sources/support/scripted-client.js';

const second = 1_000;
const latency = 5;
const concurrency = 10;

/** 300 objects, each of which a run patches; writes are answered with 429 and a Retry-After of 30 s at first. */
function overloaded(limit: (client: KubeClient, scheduler: SchedulerLike) => KubeClient) {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock, random: () => 0 });
  server.apply(Array.from({ length: 300 }, (_, index) => aConfigMap({ name: `settings-${index}` })));
  const writes: number[] = [];
  const distant: KubeClient = {
    exchange: (request) =>
      defer(() => {
        if (request.method === 'PATCH') writes.push(clock.now());
        return timer(latency, clock).pipe(mergeMap(() => server.client.exchange(request)));
      }),
  };
  const client = limit(distant, clock);
  const configMapInformer = informer(listWatch(client, configMaps, { scheduler: clock, random: () => 0 }), {
    scheduler: clock,
  });
  const configMapClient = resourceClient(client, configMaps, { fieldManager: 'test', scheduler: clock });
  const stop$ = new Subject<void>();
  const done = new Set<string>();
  controller({
    for: configMapInformer,
    concurrency,
    scheduler: clock,
    stop$,
    reconcile: ({ key, object }) => (object?.data ? [] : configMapClient.patch(key, { data: { seen: 'yes' } })),
  }).subscribe((event) => {
    if (event.type === 'succeeded') done.add(event.key);
  });
  server.faults.always('write', serverFaults.respond(429, { retryAfter: 30 }));
  return { server, clock, writes, done, stop$ };
}

describe('a controller over a server that answers 429 with Retry-After 30', () => {
  it('writes only what was in flight within those 30 s, through a limited client', () => {
    const { server, clock, writes, done, stop$ } = overloaded((client, scheduler) =>
      limitedClient(client, { scheduler }),
    );
    clock.advance(30 * second);
    expect(writes).toHaveLength(concurrency);

    server.faults.clear();
    clock.advance(300 * second);
    expect(done.size).toBe(300);
    expect(Math.min(...writes.slice(concurrency))).toBeGreaterThanOrEqual(30 * second);
    stop$.next();
  });

  it('writes at least once for each key without a limit', () => {
    const { clock, writes, stop$ } = overloaded((client) => client);
    clock.advance(30 * second);
    expect(writes.length).toBeGreaterThanOrEqual(300);
    stop$.next();
  });
});

describe('calls of a resourceClient over a limited client', () => {
  function waiting(answers: KubeClient['exchange']) {
    const clock = virtualClock();
    const limited = limitedClient({ exchange: answers }, { scheduler: clock });
    limited.exchange({ method: 'GET', path: '/busy' }).subscribe({ error: () => undefined });
    // As the client of a run is.
    const client = recordingClient(limited, () => undefined);
    const errors: unknown[] = [];
    const call = resourceClient(client, configMaps, { timeout: 10 * second, scheduler: clock }).get('web/a');
    const subscription = call.subscribe({ error: (error: unknown) => errors.push(error) });
    return { clock, errors, subscription };
  }

  it('do not time out while they wait for their turn, and do when the server does not answer then', () => {
    const { clock, errors } = waiting(({ path }) =>
      path === '/busy' ? throwError(() => statusError(429, {}, 60 * second)) : NEVER,
    );
    clock.advance(60 * second + 9_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors).toEqual([expect.any(CallTimeoutError)]);
  });

  it('leave no timer when they are aborted while they wait', () => {
    const paths: string[] = [];
    const { clock, subscription } = waiting(({ path }) => {
      paths.push(path);
      return throwError(() => statusError(429, {}, 60 * second));
    });
    clock.advance(second);
    subscription.unsubscribe();
    expect(clock.timers).toBe(0);
    expect(paths).toEqual(['/busy']);
  });
});
