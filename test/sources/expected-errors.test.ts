import { informer, listWatch, replay, type InformerError, type ListWatchOptions } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import type { WatchEvent } from 'rx-informers/store';
import { recordSource, informerTest } from 'rx-informers/testing';
import { asyncScheduler, takeUntil, timer, type Observable } from 'rxjs';
import { handlerError, selectError } from '../../src/collections/errors.js';
import { keyError } from '../../src/store/errors.js';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark, errorLine } from '../fixtures/wire.js';
import { list, open, paged, refused, reset, streamed } from './support/run-list-watch.js';
import { refuse, respond, scriptedClient, statusError, type Answer } from './support/scripted-client.js';

describe('exponentialBackoff', () => {
  it('R18: waits [0.8, 1.6), [1.6, 3.2) … [30, 60) seconds (TestReflectorListAndWatchInitConnBackoff)', () => {
    const backoff = exponentialBackoff();
    const attempts = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(attempts.map((attempt) => backoff(attempt, 0))).toEqual([
      800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ]);
    expect(backoff(1, 0.5)).toBe(1_200);
    expect(backoff(7, 0.999)).toBeCloseTo(59_970);
  });

  it('does not overflow after many failures', () => {
    expect(exponentialBackoff()(5_000, 0)).toBe(30_000);
  });

  it('uses the numbers of its options', () => {
    const backoff = exponentialBackoff({ initial: 10, factor: 3, cap: 100, jitter: 0 });
    expect([1, 2, 3, 4].map((attempt) => backoff(attempt, 0.9))).toEqual([10, 30, 90, 100]);
  });
});

const gone = respond([[1_000, errorLine(410)]]);

const early = respond([], { end: 100 });

/** Each error, in order, and whether it needs attention. */
function errorsOf(answers: readonly Answer[], until: number, options: ListWatchOptions<Pod> = paged): string[] {
  return errorsIn(() => listWatch(scriptedClient(answers), pods, options), until);
}

function errorsIn(source: () => Observable<readonly WatchEvent<Pod>[]>, until: number): string[] {
  const errors: string[] = [];
  informerTest(({ flush }) => {
    const pod$ = informer(source(), { scheduler: asyncScheduler });
    pod$.errors$.subscribe((error) => errors.push(verdict(error)));
    pod$.snapshot$.pipe(takeUntil(timer(until))).subscribe();
    flush();
  });
  return errors;
}

function verdict(error: InformerError): string {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  const detail = status ?? ('causeCode' in error ? error.causeCode : '');
  const code = detail ? ` ${detail}` : '';
  return `${error.code}${code}: ${error.expected ? 'expected' : 'look at it'}`;
}

describe('errors$ distinguishes errors that are handled by design from errors that need attention', () => {
  it.each<[string, readonly Answer[], ListWatchOptions<Pod>, readonly string[]]>([
    [
      'a server without streaming lists: expected',
      [refuse(statusError(422)), list('10'), open],
      streamed,
      ['RXI_STATUS 422: expected'],
    ],
    [
      'a list that is refused like the streaming list before it: not expected',
      [refuse(statusError(422)), refuse(statusError(422)), list('10'), open],
      streamed,
      ['RXI_STATUS 422: expected', 'RXI_STATUS 422: look at it'],
    ],
    [
      'a refused watch: not expected',
      [list('10'), refuse(statusError(422)), list('11'), open],
      paged,
      ['RXI_STATUS 422: look at it'],
    ],
    ['an expired watch: expected', [list('10'), gone, list('20'), open], paged, ['RXI_STATUS 410: expected']],
    [
      'a watch that expires again right after the list: not expected the second time',
      [list('10'), gone, list('20'), gone, list('30'), open],
      paged,
      ['RXI_STATUS 410: expected', 'RXI_STATUS 410: look at it'],
    ],
    [
      'a list of an expired version: expected',
      [list('10'), gone, refuse(statusError(410)), list('20'), open],
      paged,
      ['RXI_STATUS 410: expected', 'RXI_STATUS 410: expected'],
    ],
    [
      'a streaming list of an expired version: expected',
      [
        respond([
          [1, endBookmark('10')],
          [1_000, errorLine(410)],
        ]),
        refuse(statusError(410)),
        open,
        list('20'),
        open,
      ],
      streamed,
      ['RXI_STATUS 410: expected', 'RXI_STATUS 410: expected', 'RXI_BOOKMARK_DEADLINE: expected'],
    ],
    [
      'a watch that closes at once: expected the first time',
      [list('10'), early, list('10'), early, list('10'), open],
      paged,
      ['RXI_EARLY_CLOSE: expected', 'RXI_EARLY_CLOSE: look at it'],
    ],
    [
      'a streaming list that ends too soon: expected',
      [respond([[1_000, added('a@1')]], { end: 2_000 }), respond([[1, endBookmark('10')]])],
      streamed,
      ['RXI_EARLY_CLOSE: expected'],
    ],
    [
      'a connection that breaks and is resumed at once: expected',
      [list('10'), respond([[1, added('b@11')]], { cut: [5_000, reset] }), open],
      paged,
      ['RXI_CONNECTION ECONNRESET: expected'],
    ],
    [
      'an unreachable server: not expected',
      [refuse(refused), list('10'), open],
      paged,
      ['RXI_CONNECTION ECONNREFUSED: look at it'],
    ],
    [
      'too many requests, forbidden, broken: not expected',
      [refuse(statusError(429)), refuse(statusError(403)), refuse(statusError(500)), list('10'), open],
      paged,
      ['RXI_STATUS 429: look at it', 'RXI_STATUS 403: look at it', 'RXI_STATUS 500: look at it'],
    ],
  ])('an error is classified as expected or not: %s', (_, answers, options, expected) => {
    expect(errorsOf(answers, 60_000, options)).toEqual(expected);
  });

  it('a status classifies its cause as errors$ does', () => {
    const causes: unknown[] = [];
    informerTest(({ flush }) => {
      const client = scriptedClient([list('10'), gone, list('20'), open]);
      listWatch(client, pods, paged)
        .pipe(takeUntil(timer(10_000)))
        .subscribe((batch) => {
          for (const event of batch)
            if (event.type === 'STATUS' && 'cause' in event.status) causes.push(event.status.cause.expected);
        });
      flush();
    });
    expect(causes).toEqual([true]);
  });

  it('a recording keeps which errors were expected', () => {
    const lines: string[] = [];
    const answers = [refuse(statusError(422)), refuse(statusError(500)), list('10'), gone, list('20'), open];
    const received = ['RXI_STATUS 422: expected', 'RXI_STATUS 500: look at it', 'RXI_STATUS 410: look at it'];
    const recorded = errorsIn(
      () => recordSource(listWatch(scriptedClient(answers), pods, streamed), (line) => lines.push(line)),
      30_000,
    );
    expect(recorded).toEqual(received);
    expect(errorsIn(() => replay<Pod>(lines.join('')), 30_000)).toEqual(received);
  });

  it('errors of the store, of handlers and of select$ are never expected', () => {
    const errors = [keyError({}, ''), handlerError('onAdd', 'a', ''), selectError(1, '')];
    expect(errors.map(({ expected }) => expected)).toEqual([false, false, false]);
  });
});
