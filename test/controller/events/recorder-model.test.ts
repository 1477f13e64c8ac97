import fc from 'fast-check';
import { maxTries } from '../../../src/controller/events/write-event.js';
import { serverFaults } from 'rx-informers/testing';
import { pod, recording, started } from './support/recording.js';

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('record' as const), pod: fc.nat(3), reason: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('wait' as const), time: fc.nat(20 * 60_000) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('slow' as const), time: fc.nat(60_000) }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('refuse' as const), times: fc.integer({ min: 1, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

describe('eventRecorder: whatever happens', () => {
  it('E7: what the server has counted when all is written is what was recorded, for each object and reason', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const recorded = new Map<string, number>();
        const { recorder, server, advance, stored, timers } = recording();
        // All of them may meet the same event, which is dropped after so many tries (E6); what is slow may be given up, and is one, too.
        let failures = maxTries - 1;
        for (const command of list) {
          switch (command.type) {
            case 'record': {
              const [name, reason] = [`pod-${command.pod}`, `Reason${command.reason}`];
              recorder.record(pod(name), { ...started, reason });
              recorded.set(`${name} ${reason}`, (recorded.get(`${name} ${reason}`) ?? 0) + 1);
              break;
            }
            case 'wait':
              advance(command.time);
              break;
            case 'slow':
              if (failures === 0) break;
              failures -= 1;
              server.faults.next('write', serverFaults.delay(command.time));
              break;
            case 'refuse': {
              const times = Math.min(command.times, failures);
              failures -= times;
              if (times > 0) server.faults.next('write', serverFaults.refuse(), { times });
              break;
            }
            default:
              command satisfies never;
          }
        }
        server.faults.clear();
        recorder.close({ deadline: 600_000 }).subscribe();
        advance(600_000);

        const counted = new Map<string, number>();
        for (const { regarding, reason, series } of stored()) {
          const key = `${regarding?.name} ${reason}`;
          counted.set(key, (counted.get(key) ?? 0) + (series?.count ?? 1));
        }
        expect(counted).toEqual(recorded);
        expect(timers()).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
