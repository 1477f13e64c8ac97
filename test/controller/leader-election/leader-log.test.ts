import { firstValueFrom } from 'rxjs';
import { eventsV1Events, type EventsV1Event } from 'rx-informers/resources';
import { eventRecorder, leader$ } from 'rx-informers/controller';
import { randomFromSeed, serverFaults } from 'rx-informers/testing';
import { linesOf, messages } from '../lease/support/log-lines.js';
import { leaseName, world } from './support/election.js';

function stage() {
  const all = world();
  const a = linesOf(() => all.clock.now());
  const b = linesOf(() => all.clock.now());
  return { ...all, a, b };
}

describe('leader$, its log', () => {
  it('L5: reports the holder and since when, once for each change of holder', () => {
    const { candidate, clock, a, b } = stage();
    const first = candidate('a', { logger: a.logger });
    clock.advance(500);
    candidate('b', { logger: b.logger });
    clock.advance(60_000);
    expect(messages(b)).toEqual(['500 info: on standby; another replica leads']);
    expect(b.lines[0]).toMatchObject({
      lease: 'default/operator',
      identity: 'b',
      holder: 'a',
      since: '1970-01-01T00:00:00.000000Z',
      transitions: 0,
    });
    first.stop();
    clock.advance(5_000);
    expect(b.lines.at(-1)).toMatchObject({ message: 'became leader', identity: 'b', transitions: 1 });
    expect(b.lines).toHaveLength(2);
  });

  it('says when leadership was won, why and after how long it was lost, and when the lease can be used again', () => {
    const { candidate, clock, server, a } = stage();
    candidate('a', { logger: a.logger });
    clock.advance(4_000);
    server.faults.always('any', serverFaults.refuse());
    clock.advance(20_000);
    server.faults.clear();
    clock.advance(5_000);
    expect(messages(a)).toEqual([
      '0 info: became leader',
      '6000 warn: cannot renew the lease; trying again',
      '12000 warn: cannot renew the lease; trying again',
      '14000 warn: lost leadership; competing again',
      '23600 warn: cannot compete for the lease; trying again',
      '26800 info: the lease can be used again',
      '26800 info: became leader',
    ]);
    expect(a.lines[3]).toMatchObject({ ledFor: 14_000, error: { name: 'RenewDeadlineError' } });
    expect(a.lines[5]).toMatchObject({ failingFor: 20_800 });
  });

  it('says that rights are missing, and which to grant, at once and then at growing intervals', () => {
    const { candidate, clock, server, a } = stage();
    server.faults.always('any', serverFaults.respond(403));
    candidate('a', { logger: a.logger });
    clock.advance(1_200_000);
    expect(a.lines.every(({ level }) => level === 'warn')).toBe(true);
    expect(a.lines[0]).toMatchObject({
      message:
        'cannot compete for the lease; trying again; ' +
        'grant get, create and update of leases.coordination.k8s.io in namespace default',
      error: { statusCode: 403 },
      failures: 1,
      failingFor: 0,
    });
    // An attempt follows each 3.2 s, so a line is at most so much late.
    const gaps = a.lines.slice(1).map(({ at }, index) => at - a.lines[index]!.at);
    const waits = [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
    expect(gaps.map((gap, index) => gap - waits[index]!).every((late) => late >= 0 && late <= 3_200)).toBe(true);
    expect(gaps).toHaveLength(waits.length);
  });

  it.each([
    [{ type: 'released' }, {}, 'released the lease'],
    [{ type: 'kept' }, { releaseOnUnsubscribe: false }, 'kept the lease; other replicas wait until it has expired'],
  ])('says what became of the lease: %p', (outcome, options, message) => {
    const { candidate, clock, a } = stage();
    const replica = candidate('a', { logger: a.logger, ...options });
    clock.advance(3_000);
    replica.stop();
    expect(messages(a).slice(1)).toEqual([
      '3000 info: stopped leading, because the last subscriber left',
      `3000 info: ${message}`,
    ]);
    expect(a.lines[1]).toMatchObject({ ledFor: 3_000 });
    const outcomes: unknown[] = [];
    replica.leadership$.released$.subscribe((seen) => outcomes.push(seen));
    expect(outcomes).toEqual([outcome]);
  });

  it('warns when the lease could not be released, with the reason', () => {
    const { candidate, clock, server, a } = stage();
    const replica = candidate('a', { logger: a.logger });
    clock.advance(3_000);
    server.faults.always('any', serverFaults.respond(500));
    replica.stop();
    expect(a.lines.at(-1)).toMatchObject({
      level: 'warn',
      message: 'could not release the lease; other replicas wait until it has expired',
      error: { statusCode: 500 },
    });
  });

  it('leads on although the logger and the metrics hooks throw, and logs the first error of each hook', () => {
    const { candidate, clock, a, lines } = stage();
    const fail = (): never => {
      throw new Error('broken');
    };
    candidate('a', { logger: a.logger, metrics: { leading: fail, slowPath: fail }, recorder: { record: fail } });
    clock.advance(3_000);
    expect(lines).toEqual(['0 a standby', '0 a leading']);
    expect(a.lines.filter(({ level }) => level === 'warn').map(({ hook }) => hook)).toEqual([
      'metrics.leading',
      'recorder',
    ]);
    const silent = stage();
    silent.candidate('a', { logger: { debug: fail, info: fail, warn: fail, error: fail } });
    expect(silent.lines).toEqual(['0 a standby', '0 a leading']);
  });
});

describe('leader$, its events', () => {
  it('records that this replica became leader and stopped leading, as events about the Lease', async () => {
    const { clock, server, lease } = world();
    const scheduler = clock;
    const random = randomFromSeed(1);
    const recorder = eventRecorder(server.client, {
      reportingController: 'example.com/operator',
      reportingInstance: 'operator-0',
      scheduler,
      random,
    });
    const leadership$ = leader$(server.client, { lease: leaseName, identity: 'a', recorder, scheduler, random });
    const subscription = leadership$.subscribe();
    const { uid } = lease()!.metadata;
    clock.advance(3_000);
    subscription.unsubscribe();
    await firstValueFrom(leadership$.released$);
    clock.advance(1);
    const regarding = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...leaseName, uid };
    const timeOf = ({ eventTime }: EventsV1Event) => eventTime;
    const events = [...server.objects.list<EventsV1Event>(eventsV1Events, 'default')];
    expect(events.sort((a, b) => timeOf(a).localeCompare(timeOf(b)))).toMatchObject([
      { type: 'Normal', reason: 'LeaderElection', note: 'a became leader', regarding },
      { type: 'Normal', reason: 'LeaderElection', note: 'a stopped leading', regarding },
    ]);
    recorder.unsubscribe();
  });

  it('records that leadership was lost', () => {
    const { candidate, clock, server } = stage();
    const notes: unknown[] = [];
    candidate('a', { recorder: { record: (_, { note }) => notes.push(note) } });
    server.faults.always('any', serverFaults.refuse());
    clock.advance(11_000);
    expect(notes).toEqual(['a became leader', 'a stopped leading']);
  });
});
