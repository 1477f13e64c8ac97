import { EMPTY, NEVER, takeUntil, throwError, timer } from 'rxjs';
import { limitedClient, listWatch, type KubeClient, type ListWatchOptions } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark } from '../fixtures/wire.js';
import { list, open, paged, streamed } from './support/run-list-watch.js';
import { respond, scriptedClient, statusError, type ScriptedClient } from './support/scripted-client.js';
import { timeline } from './support/timeline.js';

const minute = 60_000;
const streamedList = respond([[1, added('a@1') + endBookmark('10')]]);

/** A client that the server has asked to hold back for so long. */
function heldClient(client: KubeClient, wait: number): KubeClient {
  const answers: KubeClient = {
    exchange: (request) =>
      request.path === '/busy' ? throwError(() => statusError(429, {}, wait)) : client.exchange(request),
  };
  const held = limitedClient(answers, { maxRetryAfter: Infinity });
  held.exchange({ method: 'GET', path: '/busy' }).subscribe({ error: () => undefined });
  return held;
}

function run(
  client: ScriptedClient,
  until: number,
  options: ListWatchOptions<Pod>,
  wait = 10 * minute,
): readonly string[] {
  return timeline(() => listWatch(heldClient(client, wait), pods, options), until);
}

describe('listWatch over a limited client', () => {
  it.each([
    ['list', paged, list('10')],
    ['streaming list', streamed, streamedList],
  ])('lets a %s wait for its turn without a timeout', (_name, options, answer) => {
    const client = scriptedClient([answer, open]);
    const seen = run(client, 11 * minute, { ...options, openTimeout: 30_000 });
    expect(seen.filter((text) => text.includes('ERROR'))).toEqual([]);
    expect(seen.some((text) => text.includes('LISTED 10'))).toBe(true);
  });

  it('counts openTimeout from the moment at which the request is sent', () => {
    const silent = scriptedClient([NEVER]);
    const seen = run(silent, 11 * minute, { ...paged, openTimeout: 30_000 });
    const failed = seen.filter((text) => text.includes('ERROR'));
    expect(failed).toEqual([expect.stringMatching(/^630000: ERROR SilentConnectionError/)]);
  });

  it('synchronizes after the wait, and lets its watch wait for a turn too', () => {
    const client = scriptedClient([EMPTY, list('10'), open]);
    const seen: string[] = [];
    informerTest(({ flush, scheduler }) => {
      const limited = limitedClient(client, { qps: 0.005, burst: 1 });
      limited.exchange({ method: 'GET', path: '/other' }).subscribe();
      listWatch(limited, pods, { ...paged, openTimeout: 1_000 })
        .pipe(takeUntil(timer(10 * minute)))
        .subscribe((batch) => seen.push(...batch.map(({ type }) => `${scheduler.now()} ${type}`)));
      flush();
    });
    expect(seen.filter((text) => !text.includes('STATUS'))).toEqual(['200002 LISTED']);
    expect(client.log.slice(2)).toEqual(['WATCH resourceVersion=10']);
  });

  it('sends nothing and leaves no timer if it is unsubscribed from while its request waits', () => {
    const client = scriptedClient([open]);
    informerTest(({ scheduler, flush }) => {
      const held = heldClient(client, minute);
      const subscription = listWatch(held, pods, { ...paged, scheduler }).subscribe();
      expect(scheduler.actions.length).toBeGreaterThan(0);
      scheduler.schedule(() => subscription.unsubscribe(), 1_000);
      flush();
      expect(scheduler.now()).toBeLessThan(minute);
    });
    expect(client.requests).toEqual([]);
  });
});
