import { asyncScheduler, NEVER, Subscription, take } from 'rxjs';
import { listWatch } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark, modified, podList } from '../fixtures/wire.js';
import { list, open, paged, refused, streamed } from './support/run-list-watch.js';
import { refuse, respond, scriptedClient, type Answer } from './support/scripted-client.js';

describe('listWatch, unsubscribed', () => {
  const situations: readonly (readonly [string, readonly Answer[], number, ListWatchOptions<Pod>])[] = [
    ['before the head of a list', [NEVER], 10, paged],
    ['in the middle of a list', [respond([[1, podList('1', ['a']).slice(0, 30)]])], 10, paged],
    ['between two pages', [respond([[1, podList('10', ['a'], { continue: 'next' })]], { end: 2 }), NEVER], 10, paged],
    ['while a watch is opened', [list('10'), NEVER], 10, paged],
    ['while a watch is open', [list('10'), open], 10, paged],
    ['while waiting', [refuse(refused)], 10, paged],
    ['before the head of a stream', [NEVER], 10, streamed],
    ['in the middle of a stream', [respond([[1, added('a@1')]])], 10, streamed],
    ['while a stream goes on as the watch', [respond([[1, endBookmark('1')]])], 10, streamed],
  ];

  it.each(situations)(
    'G8, R21: %s, leaves no request, no timer, and says nothing more',
    (_name, answers, until, options) => {
      const client = scriptedClient(answers);
      informerTest(({ scheduler }) => {
        const late: unknown[] = [];
        const subscription = new Subscription();
        subscription.add(listWatch(client, pods, options).subscribe(() => subscription.closed && late.push('late')));
        asyncScheduler.schedule(() => {
          subscription.unsubscribe();
          expect(client.inFlight).toBe(0);
        }, until);
        scheduler.flush();
        expect(asyncScheduler.now()).toBe(until);
        expect(scheduler.actions).toHaveLength(0);
        expect(late).toEqual([]);
      });
      expect(client.mostInFlight).toBe(1);
    },
  );

  it.each([1, 2, 3, 4, 5])(
    'G8: by its own subscriber, in the middle of emission %i, says and asks nothing more',
    (count) => {
      const client = scriptedClient([
        respond(
          [
            [10, added('a@1') + endBookmark('2') + added('b@3')],
            [20, modified('a@4')],
          ],
          { end: 2_000 },
        ),
        open,
      ]);
      informerTest(({ scheduler }) => {
        const seen: unknown[] = [];
        listWatch(client, pods, streamed)
          .pipe(take(count))
          .subscribe((batch) => seen.push(batch));
        scheduler.flush();
        expect(seen).toHaveLength(count);
        expect(scheduler.actions).toHaveLength(0);
        expect(asyncScheduler.now()).toBeLessThanOrEqual(2_000);
      });
      expect(client.inFlight).toBe(0);
      // The fifth emission says that the watch is resumed, and comes before the request that resumes it.
      expect(client.requests).toHaveLength(count === 1 ? 0 : 1);
    },
  );
});
