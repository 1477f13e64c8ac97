import { configMaps, createIndexer, informer, pods, type ConfigMap, type KubeClient, type Pod } from 'rx-informers';
import { controller, silentLogger, eventRecorder, leader$, membership$ } from 'rx-informers/controller';
import { manager, type ManagerEvent } from 'rx-informers/node';
import { resourceClient, edit } from 'rx-informers/requests';
import { metaNamespaceKey } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { NEVER, VirtualTimeScheduler } from 'rxjs';
import { errorWith } from '../support/error-with.js';

/** A client whose requests are never answered. */
function silentClient() {
  const scheduler = new VirtualTimeScheduler();
  return { scheduler, exchange: () => NEVER } satisfies KubeClient;
}

describe('the clock of a KubeClient', () => {
  it('is the clock of a resourceClient over it', () => {
    const client = silentClient();
    const errors: unknown[] = [];
    resourceClient(client, pods, { timeout: 1_000 })
      .get('web/a')
      .subscribe({ error: (error: unknown) => errors.push(error) });

    client.scheduler.flush();

    expect(errors).toEqual([errorWith('RXI_CALL_TIMEOUT')]);
    expect(client.scheduler.now()).toBe(1_000);
  });

  it('is the clock of a controller without a client whose collection has this clock', () => {
    const client = silentClient();
    const source = informer(client, pods);
    const options = { name: 'website', reconcile: () => undefined };

    expect(controller({ ...options, for: source }).scheduler).toBe(client.scheduler);
    expect(controller({ ...options, for: { source } }).scheduler).toBe(client.scheduler);
  });

  it('is the clock of a controller with this client, and of a manager of that controller', () => {
    const client = silentClient();
    const website = controller({
      for: createIndexer<Pod>(metaNamespaceKey),
      client,
      name: 'website',
      reconcile: () => undefined,
    });
    const events: ManagerEvent[] = [];
    const subscription = manager({ controllers: [website], logger: silentLogger }).subscribe((event) =>
      events.push(event),
    );

    client.scheduler.maxFrames = 3_000;
    client.scheduler.flush();
    website.stop();
    client.scheduler.maxFrames = 100_000;
    client.scheduler.flush();
    subscription.unsubscribe();

    expect(website.scheduler).toBe(client.scheduler);
    expect(events.map(({ type }) => type)).toContain('stopped');
  });

  it('is not used if the option scheduler names another one', () => {
    const scheduler = new VirtualTimeScheduler();
    const client = silentClient();

    expect(
      controller({ for: createIndexer<Pod>(metaNamespaceKey), client, scheduler, reconcile: () => undefined })
        .scheduler,
    ).toBe(scheduler);
    expect(resourceClient(client, pods, { scheduler }).scheduler).toBe(scheduler);
  });

  it('provides the random numbers for the waits of edit after a conflict', () => {
    const scheduler = new VirtualTimeScheduler(undefined, 60_000);
    const server = createInMemoryApiServer({ scheduler, random: () => 0.5 });
    const [stale] = server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'web', name: 'a' } });
    server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'web', name: 'a' }, data: { b: '1' } });
    const startedAt = scheduler.now();
    const took: number[] = [];
    edit(resourceClient(server.client, configMaps), stale as unknown as ConfigMap, (draft) => {
      draft.data = { ...draft.data, c: '2' };
    }).subscribe(() => took.push(scheduler.now() - startedAt));

    scheduler.flush();

    expect(took).toEqual([10.5]);
  });
});

/** A server in virtual time, and a log of everything that happened, with times. */
function stage() {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler, random: () => 0 });
  const lines: string[] = [];
  server.requests$.subscribe(({ method, path }) => {
    if (!path.includes('watch')) lines.push(`${scheduler.now()} ${method}`);
  });
  return { scheduler, client: server.client, lines };
}

describe('the clock of a KubeClient, if a lease or event recorder has no own scheduler', () => {
  const leader = (client: KubeClient) =>
    leader$(client, { lease: { namespace: 'default', name: 'operator' }, identity: 'a' });

  it('leader$ renews its lease by it', () => {
    const { scheduler, client, lines } = stage();
    const subscription = leader(client).subscribe();
    scheduler.advance(4_000);
    expect(lines).toEqual(['0 GET', '0 POST', '2000 PUT', '4000 PUT']);
    subscription.unsubscribe();
  });

  it('membership$ renews its lease by it, with the random numbers of the client', () => {
    const { scheduler, client, lines } = stage();
    const group = { namespace: 'default', name: 'labeller' };
    const subscription = membership$({ ...client, random: () => 0 }, { group, identity: 'a' }).subscribe();
    scheduler.advance(3_200);
    expect(lines.filter((line) => line.includes('PUT'))).toEqual(['1600 PUT', '3200 PUT']);
    subscription.unsubscribe();
  });

  it('eventRecorder sets the time of events by it', () => {
    const { scheduler, client, lines } = stage();
    const recorder = eventRecorder(client, { reportingController: 'example.com/tests', reportingInstance: 'tests-0' });
    const times: unknown[] = [];
    recorder.outcomes$.subscribe(({ event }) => times.push(event?.eventTime));
    scheduler.advance(5_000);
    recorder.record(
      { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name: 'a' } },
      { type: 'Normal', reason: 'Started', action: 'Starting' },
    );
    scheduler.advance(1);
    expect(times).toEqual(['1970-01-01T00:00:05.000000Z']);
    expect(lines).toEqual(['5000 POST']);
    recorder.unsubscribe();
  });
});
