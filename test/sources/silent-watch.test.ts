import fc from 'fast-check';
import { type KubeClient, listWatch, pods, type RxInformersError, isRxInformersError } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { randomFromSeed, virtualClock } from 'rx-informers/testing';
import { Observable } from 'rxjs';
import { modified, podList } from '../fixtures/wire.js';
import { encode } from './support/scripted-client.js';

const minute = 60_000;

/** The behaviour of the watches of a server, in milliseconds. */
interface Watches {
  readonly seed: number;
  /** The time between two bookmarks, and how much it varies, as a part of it. */
  readonly bookmarkEvery: number;
  readonly jitter: number;
  /** The time between two changes, on average. */
  readonly changeEvery: number;
  /** The time at which all open connections die without a sign. */
  readonly diesAt?: number;
}

/** The result of a source in virtual time. */
interface Outcome {
  readonly silences: readonly RxInformersError<'RXI_SILENT_CONNECTION'>[];
  /** The time between the death of the connection and the next request. */
  readonly detectedAfter: number;
  /** The number of bookmarks that the dead watch had received. */
  readonly bookmarks: number;
}

function follow(watches: Watches, duration: number): Outcome {
  const { seed, bookmarkEvery, jitter, changeEvery, diesAt = Infinity } = watches;
  const clock = virtualClock();
  const random = randomFromSeed(seed);
  const silences: RxInformersError<'RXI_SILENT_CONNECTION'>[] = [];
  let version = 10;
  let detectedAfter = Infinity;
  let bookmarks = 0;

  const client: KubeClient = {
    scheduler: clock,
    random,
    exchange: ({ query = {} }) =>
      new Observable<ResponsePart>((subscriber) => {
        const openedAt = clock.now();
        if (openedAt >= diesAt) detectedAfter = Math.min(detectedAfter, openedAt - diesAt);
        else bookmarks = 0;
        const isAlive = (): boolean => !subscriber.closed && !(openedAt < diesAt && clock.now() >= diesAt);
        const send = (text: string): void => subscriber.next({ type: 'bytes', bytes: encode(text) });
        const repeat = (every: number, variation: number, work: () => void): void => {
          const wait = every * (1 + (2 * random() - 1) * variation);
          clock.schedule(() => {
            if (!isAlive()) return;
            work();
            repeat(every, variation, work);
          }, wait);
        };
        const bookmark = (): void => {
          if (openedAt < diesAt) bookmarks++;
          const metadata = { resourceVersion: String(version) };
          send(`${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`);
        };

        subscriber.next({ type: 'head', status: 200, headers: { 'content-type': 'application/json' } });
        if (query['watch'] !== true) {
          send(podList(String(version), ['a']));
          subscriber.complete();
          return;
        }
        const end = Number(query['timeoutSeconds']) * 1_000;
        // API servers send one more bookmark two seconds before the end.
        for (const [at, work] of [[end - 2_000, bookmark] as const, [end, () => subscriber.complete()] as const]) {
          clock.schedule(() => {
            if (isAlive()) work();
          }, at);
        }
        repeat(bookmarkEvery, jitter, bookmark);
        repeat(changeEvery, 1, () => send(modified(`a@${(version += 1)}`)));
      }),
  };
  const subscription = listWatch(client, pods, { initialList: 'pages' }).subscribe((batch) => {
    for (const event of batch) {
      if (event.type === 'ERROR' && isRxInformersError(event.error, 'RXI_SILENT_CONNECTION'))
        silences.push(event.error);
    }
  });
  clock.advance(duration);
  subscription.unsubscribe();
  return { silences, detectedAfter, bookmarks };
}

const seed = fc.integer({ min: 1 });
const changeEvery = fc.constantFrom(20_000, 5 * minute, 60 * minute, 24 * 60 * minute);

describe('a watch with regular bookmarks', () => {
  it('G6: is never ended for silence while its connection works, in 24 hours with bookmarks of varying times', () => {
    fc.assert(
      fc.property(seed, fc.double({ min: 0, max: 0.4, noNaN: true }), changeEvery, (chosen, jitter, every) => {
        const watches = { seed: chosen, bookmarkEvery: minute, jitter, changeEvery: every };

        expect(follow(watches, 24 * 60 * minute).silences).toEqual([]);
      }),
      { numRuns: 6 },
    );
  });

  it('G6: is opened again at most 150 seconds after its connection has died, if two bookmarks have arrived', () => {
    fc.assert(
      fc.property(
        seed,
        fc.double({ min: 0, max: 0.4, noNaN: true }),
        changeEvery,
        fc.integer({ min: 0, max: 12 * minute }),
        (chosen, jitter, every, diesAt) => {
          const watches = { seed: chosen, bookmarkEvery: minute, jitter, changeEvery: every, diesAt };

          const { bookmarks, detectedAfter } = follow(watches, diesAt + 11 * minute);

          fc.pre(bookmarks >= 2);
          expect(detectedAfter).toBeLessThanOrEqual(150_000);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('a watch whose bookmarks do not come about once a minute', () => {
  it.each([10_000, 3 * minute, 24 * 60 * minute])(
    'keeps the time limit that was requested: one bookmark in %d ms',
    (bookmarkEvery) => {
      const watches = { seed: 1, bookmarkEvery, jitter: 0, changeEvery: 24 * 60 * minute };

      const { silences, detectedAfter } = follow({ ...watches, diesAt: 100_000 }, 15 * minute);

      expect(follow(watches, 24 * 60 * minute).silences).toEqual([]);
      expect(silences).toHaveLength(1);
      expect(detectedAfter).toBeGreaterThan(200_000);
    },
  );
});
