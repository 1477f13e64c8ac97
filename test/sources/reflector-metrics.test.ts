import fc from 'fast-check';
import { listWatch } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { take, timer } from 'rxjs';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, bookmark, endBookmark, errorLine, modified, podList } from '../fixtures/wire.js';
import { recordedMetrics } from './support/recorded-metrics.js';
import { list, open, paged, refused, reset, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, scriptedClient, statusError, type Answer } from './support/scripted-client.js';

function received(
  answers: readonly Answer[],
  until: number,
  options: ListWatchOptions<Pod> = paged,
): readonly string[] {
  const metrics = recordedMetrics();
  run(answers, until, { ...options, metrics });
  return metrics.received;
}

describe('ListWatchMetrics', () => {
  it('the hooks receive a list, its pages together, and the watch after it from its response to its end', () => {
    const pages = [
      respond([[10, podList('10', ['a', 'b'], { continue: 'next' })]], { end: 11 }),
      respond([[10, podList('10', ['c'])]], { end: 11 }),
    ];
    const watch = respond(
      [
        [10, added('d@11') + modified('d@12')],
        [2_000, bookmark('13')],
      ],
      { headAt: 5, end: 3_000 },
    );
    expect(received([...pages, watch, open], 5_000)).toEqual([
      '0: list',
      '22: listed 3 in 22',
      '22: at 10',
      '27: watch',
      '32: at 12',
      '2022: at 13',
      '3022: watched 3 in 2995',
      '3022: watch',
      '5000: watched 0 in 1978',
    ]);
  });

  it('the hooks receive a streaming list, and its watch from the end bookmark on, with the rest of that read', () => {
    const stream = respond([
      [10, added('a@1') + added('b@2')],
      [20, endBookmark('10') + added('c@11')],
      [30, modified('c@12')],
    ]);
    expect(received([stream], 1_000, streamed)).toEqual([
      '0: list',
      '20: listed 2 in 20',
      '20: watch',
      '20: at 11',
      '30: at 12',
      '1000: watched 2 in 980',
    ]);
  });

  it('the hooks receive a watch that ended in the read that completed its list', () => {
    const stream = respond([[10, added('a@1') + endBookmark('10') + modified('a@11') + errorLine(410)]]);
    expect(received([stream, open], 500, streamed)).toEqual([
      '0: list',
      '10: listed 1 in 10',
      '10: watch',
      '10: at 11',
      '10: watched 1 in 0',
    ]);
  });

  it('R15: the hooks receive 410 as the cause of a list', () => {
    const watch = respond([[1_000, errorLine(410)]]);
    expect(received([list('10'), watch, list('20'), open], 5_000)).toEqual([
      '0: list',
      '2: listed 1 in 2',
      '2: at 10',
      '2: watch',
      '1002: watched 0 in 1000',
      '1802: list after RXI_STATUS',
      '1804: listed 1 in 2',
      '1804: at 20',
      '1804: watch',
      '5000: watched 0 in 3196',
    ]);
  });

  it('R4, R26: the hooks receive why a list follows another at once', () => {
    const expired = refuse(statusError(410, { reason: 'Expired' }));
    expect(received([refuse(statusError(422)), expired, list('20'), open], 100, streamed)).toEqual([
      '0: list',
      '1: list after RXI_STATUS',
      '2: list after RXI_STATUS',
      '4: listed 1 in 2',
      '4: at 20',
      '4: watch',
      '100: watched 0 in 96',
    ]);
  });

  it('R8: the hooks receive no refused watch, and no list if the watch is tried again', () => {
    expect(received([list('10'), refuse(refused), open], 2_000)).toEqual([
      '0: list',
      '2: listed 1 in 2',
      '2: at 10',
      '803: watch',
      '2000: watched 0 in 1197',
    ]);
  });

  it('R12 ▲: the hooks receive a list that looks for missing objects, without its own cause', () => {
    let failures = 1;
    const transform = (pod: Pod): Pod => {
      if (failures-- > 0) throw new Error('no');
      return pod;
    };
    expect(received([list('10'), open, list('20'), open], 2_000, { ...paged, transform })).toEqual([
      '0: list',
      '2: listed 0 in 2',
      '2: at 10',
      '2: watch',
      '802: watched 0 in 800',
      '802: list',
      '804: listed 1 in 2',
      '804: at 20',
      '804: watch',
      '2000: watched 0 in 1196',
    ]);
  });

  it('G8: the hooks receive the end on unsubscription, and nothing after it, also within an emission', () => {
    const metrics = recordedMetrics();
    informerTest(({ flush }) => {
      listWatch(scriptedClient([list('10'), open]), pods, { ...paged, metrics })
        .pipe(take(3))
        .subscribe();
      flush();
    });
    expect(metrics.received).toEqual(['0: list', '2: listed 1 in 2', '2: at 10', '2: watch', '2: watched 0 in 0']);
  });

  it('the hooks are called separately for each subscription', () => {
    const metrics = recordedMetrics();
    informerTest(({ flush }) => {
      const source = listWatch(scriptedClient([list('10'), open, list('10'), open]), pods, { ...paged, metrics });
      const first = source.subscribe();
      timer(10).subscribe(() => {
        first.unsubscribe();
        const second = source.subscribe();
        timer(10).subscribe(() => second.unsubscribe());
      });
      flush();
    });
    expect(metrics.received.filter((text) => text.endsWith('list'))).toEqual(['0: list', '10: list']);
    expect(metrics.received.at(-1)).toBe('20: watched 0 in 8');
  });

  it('the hooks agree with the requests and emissions, for any history', () => {
    const answers = fc.array(
      fc.constantFrom<readonly Answer[]>(
        [list('10')],
        [list('20', ['a', 'b', 'c'])],
        [respond([[5, podList('30', ['a'], { continue: 'next' })]], { end: 6 }), list('30', ['b'])],
        [respond([[1, added('a@1') + endBookmark('40') + modified('a@41')]], { end: 3_000 })],
        [respond([[1, added('a@50') + bookmark('51')]], { end: 2_000 })],
        [respond([[1, added('a@60')]], { cut: [500, reset] })],
        [respond([[1, errorLine(410)]])],
        [respond([[1, 'garbage\n']])],
        [refuse(statusError(410))],
        [refuse(statusError(422))],
        [refuse(refused)],
        [respond([], { end: 100 })],
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(answers, fc.constantFrom('stream' as const, 'pages' as const), (script, initialList) => {
        const metrics = recordedMetrics();
        const options = { ...paged, initialList, metrics };
        const { client, data } = run([...script.flat(), open], 600_000, options);
        const count = (pattern: RegExp, texts: readonly string[] = metrics.received): number =>
          texts.flatMap((text) => [...text.matchAll(pattern)]).length;
        expect(count(/: list( |$)/g)).toBe(count(/^(STREAM|LIST(?!.*continue))/g, client.log));
        expect(count(/: listed /g)).toBe(count(/LISTED/g, data));
        expect(count(/: watched /g)).toBe(count(/: watch$/g));
        const events = metrics.received.map((text) => Number(/: watched (\d+)/.exec(text)?.[1] ?? 0));
        expect(events.reduce((a, b) => a + b, 0)).toBe(count(/\b(ADDED|MODIFIED|DELETED|BOOKMARK)\b/g, data));
      }),
    );
  });
});
