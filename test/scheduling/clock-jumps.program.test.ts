import fc from 'fast-check';
import { informer, listWatch, type Pod, type SourceStatus } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { watchEvent } from 'rx-informers/store';
import { aPod, informerTest } from 'rx-informers/testing';
import { asyncScheduler, concat, defer, NEVER, of, takeUntil, throwError, timer, VirtualTimeScheduler } from 'rxjs';
import { PriorityQueue } from '../../src/controller/queue/priority-queue.js';
import { pods } from '../fixtures/pods.js';
import { added, bookmark, endBookmark, errorLine } from '../fixtures/wire.js';
import { list, open, refused, reset } from '../sources/support/run-list-watch.js';
import { refuse, respond, scriptedClient, statusError, type Answer } from '../sources/support/scripted-client.js';
import { describeEvent } from '../sources/support/timeline.js';
import { jumpingScheduler, type JumpingScheduler } from '../support/wall-clock.js';

const { listed } = watchEvent;

const hour = 3_600_000;
const answers: Readonly<Record<string, Answer>> = {
  list: list('10'),
  stream: respond([[1, added('a@1') + endBookmark('10')]]),
  silent: open,
  gone: respond([[1_000, errorLine(410)]]),
  progress: respond([[500, bookmark('20')]], { end: 30_000 }),
  early: respond([], { end: 100 }),
  reset: respond([[1, added('b@11')]], { cut: [5_000, reset] }),
  refused: refuse(refused),
  'wait a minute': refuse(statusError(429, {}, 60_000)),
  broken: refuse(statusError(500)),
};
const script = fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 1, maxLength: 12 });
const jumps = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 200_000 }), by: fc.constantFrom(-24 * hour, -hour, -700, 700, hour) }),
  { minLength: 1, maxLength: 6 },
);

/** The statuses and requests of a source with their times, without the displayed times. */
function received(names: readonly string[], set: readonly { readonly at: number; readonly by: number }[]): string[] {
  const said: string[] = [];
  informerTest(
    ({ flush }) => {
      const scheduler = jumpingScheduler(asyncScheduler);
      for (const { at, by } of set) timer(at).subscribe(() => scheduler.jump(by));
      const client = scriptedClient(names.map((name) => answers[name]!));
      listWatch(client, pods, { scheduler, random: () => 0.5 })
        .pipe(takeUntil(timer(2 * hour)))
        .subscribe((batch) => {
          const text = batch.map(describeEvent).join(' ');
          said.push(
            `${asyncScheduler.now()}: ${text.replace(/until -?\d+ /g, '')} after ${client.log.length} requests`,
          );
        });
      flush();
    },
    { until: Infinity },
  );
  return said;
}

/**
 * When something happens in virtual time, with the clock set back an hour just before the wait and
 * once in it.
 */
function whenSetBack(act: (scheduler: JumpingScheduler, now: () => number) => void): void {
  const virtual = new VirtualTimeScheduler();
  const scheduler = jumpingScheduler(virtual);
  virtual.schedule(() => scheduler.jump(-hour), 2);
  act(scheduler, () => virtual.now());
  virtual.maxFrames = 2 * hour;
  virtual.flush();
}

describe('setting the system clock', () => {
  it('G5, G6: does not affect when a source retries, relists or aborts a silent connection', () => {
    fc.assert(
      fc.property(script, jumps, (names, set) => {
        expect(received(names, set)).toEqual(received(names, []));
      }),
      { numRuns: 20 },
    );
  });

  it('affects the displayed time of the next attempt in a status', () => {
    const shown: (number | undefined)[] = [];
    informerTest(({ flush }) => {
      const scheduler = jumpingScheduler(asyncScheduler);
      scheduler.jump(hour);
      const status = (status: SourceStatus): number | undefined => ('until' in status ? status.until : undefined);
      listWatch(scriptedClient([refuse(refused)]), pods, { scheduler, random: () => 0 })
        .pipe(takeUntil(timer(2)))
        .subscribe((batch) => batch.forEach((event) => event.type === 'STATUS' && shown.push(status(event.status))));
      flush();
    });
    expect(shown).toEqual([undefined, hour + 801]);
  });

  it('does not delay the relist of an informer whose source failed', () => {
    const subscribedAt: number[] = [];
    whenSetBack((scheduler, now) => {
      const failing$ = defer(() => {
        subscribedAt.push(now());
        return throwError(() => new Error('broken'));
      });
      informer(failing$, { scheduler, relistBackoff: () => 10 * 60_000, onUnobservedError: () => {} }).connect();
    });
    expect(subscribedAt.slice(0, 3)).toEqual([0, 600_000, 1_200_000]);
  });

  it('does not delay a delayed key, and affects the displayed time of its run', () => {
    const ready: number[] = [];
    const promised: (number | undefined)[] = [];
    whenSetBack((scheduler, now) => {
      const queue = new PriorityQueue({ scheduler });
      queue.ready$.subscribe(() => ready.push(now()));
      promised.push(queue.addAfter('a', 30_000));
      scheduler.schedule(() => promised.push(queue.addAfter('b', 40_000)), 3);
    });
    expect(ready).toEqual([30_000, 40_003]);
    expect(promised).toEqual([30_000, 40_003 - hour]);
  });

  it('does not affect for how long an overlay shows a write', () => {
    const seen: string[] = [];
    whenSetBack((scheduler, now) => {
      const source$ = concat(of([listed<Pod>([], '1')]), NEVER);
      const overlaid = overlay<Pod>(source$, { scheduler, ttl: 60_000 });
      const pod$ = informer(overlaid, { scheduler });
      pod$.list$().subscribe((list) => seen.push(`${now()}: ${list.map(({ metadata }) => metadata.name).join()}`));
      scheduler.schedule(() => overlaid.show(aPod({ name: 'a', resourceVersion: 5 })), 1);
    });
    expect(seen).toEqual(['0: ', '1: a', '60001: ']);
  });
});
