import type { KubeClient } from 'rx-informers';
import { eventRecorder, leader$, membership$ } from 'rx-informers/controller';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';

/** A server in virtual time, and everything that happened, each with its time. */
function stage() {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler, random: () => 0 });
  const lines: string[] = [];
  server.requests$.subscribe(({ method, path }) => {
    if (!path.includes('watch')) lines.push(`${scheduler.now()} ${method}`);
  });
  return { scheduler, client: server.client, lines };
}

describe('the clock of a KubeClient, where leases and events name none', () => {
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

  it('eventRecorder writes the time of events by it', () => {
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
