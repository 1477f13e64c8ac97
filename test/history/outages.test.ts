import fc from 'fast-check';
import { configMaps, createIndexer, informer, listWatch } from 'rx-informers';
import { collectionHistory } from 'rx-informers/history';
import { metaNamespaceKey } from 'rx-informers/store';
import { aConfigMap, createInMemoryApiServer, serverFaults, virtualClock } from 'rx-informers/testing';

/** An informer of one config map that counts, its history, and what the server had at each time. */
function recordedServer() {
  const clock = virtualClock({ now: 1_700_000_000_000 });
  const server = createInMemoryApiServer({ scheduler: clock });
  const truth: { readonly time: number; readonly count: number }[] = [];
  let count = 0;
  const write = (): void => {
    server.apply(aConfigMap({ name: 'a', data: { count: String(++count) } }));
    truth.push({ time: clock.now(), count });
  };
  write();
  const source = listWatch(server.client, configMaps, { random: () => 0.5, watchTimeout: [300, 300] });
  const followed = informer(source, { scheduler: clock, onUnobservedError: () => undefined });
  const recorded = collectionHistory(followed, { for: 3_600_000, every: 0 });
  recorded.connect();
  clock.advance(1_000);
  return {
    clock,
    server,
    recorded,
    write,
    followed,
    /** The count that the server had at a time. */
    trueAt: (time: number) => truth.findLast((each) => each.time <= time)?.count,
    /** The count that the history has for a time. */
    shownAt: (time: number) => Number(recorded.at(time).get('default/a')?.data?.['count']),
    stop: () => {
      recorded.stop();
      followed.stop();
      server.stop();
    },
  };
}

type Step =
  | { readonly type: 'write' | 'restart' | 'relist' | 'clear' | 'recheck' | 'die' | 'refuse' }
  | { readonly type: 'wait'; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('write' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constantFrom('restart', 'relist', 'clear', 'recheck', 'die', 'refuse') }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.constantFrom(1, 20, 90) }) },
);

describe('the past of a collection', () => {
  it('is complete up to the time that asOf returns, after any history of outages', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const made = recordedServer();
        const { clock, server, recorded } = made;
        const requests: number[] = [];
        for (const next of steps) {
          switch (next.type) {
            case 'write':
              made.write();
              break;
            case 'wait':
              clock.advance(next.seconds * 1_000);
              break;
            case 'restart':
              server.restart();
              break;
            case 'relist':
              server.restart({ compact: true });
              break;
            case 'clear':
              server.faults.clear();
              break;
            case 'recheck':
              made.followed.recheck();
              break;
            case 'refuse':
              server.faults.always('any', serverFaults.refuse());
              break;
            case 'die':
              // Each watch from now on delivers one event, and then nothing more.
              server.faults.always('watch', serverFaults.stall({ afterEvents: 1 }));
              server.restart();
          }
          clock.advance(500);
          requests.push(clock.now());
          clock.advance(500);
        }
        server.faults.clear();
        clock.advance(900_000);
        expect(made.followed.status.state).toBe('watching');
        const wrong = requests.flatMap((time) => {
          const known = recorded.asOf(time);
          if (known === undefined) return [];
          // A write in the millisecond in which the outage began may not have arrived.
          const least = made.trueAt(known - 1) ?? 0;
          const [shown, most] = [made.shownAt(time), made.trueAt(time)!];
          const isRight = known === time ? shown === most : shown >= least && shown <= most;
          return isRight ? [] : [{ time, known, shown, least, most, outages: recorded.outages }];
        });
        expect(wrong).toEqual([]);
        made.stop();
      }),
      { numRuns: 20 },
    );
  });

  it('is not known during an outage: asOf returns its beginning, and outages has it', () => {
    const { clock, server, recorded, write, shownAt, stop } = recordedServer();
    write();
    clock.advance(1_000);
    const began = clock.now();
    server.faults.always('any', serverFaults.refuse());
    server.restart();
    clock.advance(5_000);
    write();
    const requests = clock.now();
    clock.advance(5_000);
    expect(recorded.outages).toMatchObject([{ until: undefined, status: { cause: expect.anything() } }]);
    server.faults.clear();
    clock.advance(60_000);
    const [outage, ...others] = recorded.outages;
    expect(others).toEqual([]);
    expect(outage!.from).toBeLessThanOrEqual(began);
    expect(outage!.until).toBeGreaterThan(requests);
    expect(recorded.asOf(requests)).toBe(outage!.from);
    expect(shownAt(requests)).toBe(2);
    expect(recorded.asOf(outage!.until!)).toBe(outage!.until);
    expect(recorded.asOf(clock.now() - 3_600_000)).toBeUndefined();
    stop();
    expect(recorded.outages).toEqual([]);
  });

  it('is known until a watch ends in order, although nothing was received for a while', () => {
    const { clock, recorded, stop } = recordedServer();
    clock.advance(3_100_000);
    expect(recorded.outages.length).toBeGreaterThan(5);
    for (const { from, until } of recorded.outages) expect(until! - from).toBeLessThan(2_000);
    stop();
  });

  it('is not known while the collection is stopped', () => {
    const { clock, recorded, followed, stop } = recordedServer();
    const stopped = clock.now();
    followed.stop();
    clock.advance(10_000);
    recorded.connect();
    clock.advance(1_000);
    expect(recorded.asOf(stopped + 5_000)).toBe(stopped);
    expect(recorded.asOf(clock.now())).toBe(clock.now());
    stop();
  });

  it('is always known for a collection without a source', () => {
    const clock = virtualClock({ now: 1_000 });
    const objects = createIndexer(metaNamespaceKey, {}, { scheduler: clock });
    objects.add(aConfigMap({ name: 'a' }));
    const recorded = collectionHistory(objects);
    clock.advance(1_000);
    expect(recorded.outages).toEqual([]);
    expect(recorded.asOf(clock.now())).toBe(clock.now());
  });
});
