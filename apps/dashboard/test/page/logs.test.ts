import { StatusError, type KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { virtualClock } from 'rx-informers/testing';
import { concat, map, NEVER, type Observable, of, Subject, throwError } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { followLog, type LogEvent } from '../../page/logs/follow-log.js';
import { followSelection, withModes, type LogTarget } from '../../page/logs/follow-selection.js';
import { followedLogs, noLogs, oneByOne, withEvents } from '../../page/logs/followed-logs.js';
import { append, emptyRing } from '../../page/logs/log-ring.js';
import { compareTimes, lineSplitter, timedText, withoutEscapes } from '../../page/logs/log-text.js';

function marbles(run: Parameters<TestScheduler['run']>[0]): void {
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  }).run(run);
}

const head: ResponsePart = { type: 'head', status: 200, headers: {} };
const part = (text: string): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });

/** A client that answers one request after the other, and records its requests. */
function clientWith(...answers: readonly Observable<ResponsePart>[]) {
  const requests: KubeRequest[] = [];
  const client: KubeClient = {
    exchange: (request) => {
      requests.push(request);
      return answers[requests.length - 1] ?? NEVER;
    },
  };
  return { client, requests };
}

/** An answer with an error of the API server. */
function refusal(code: number, message: string): Observable<never> {
  return throwError(
    () =>
      new StatusError(
        { method: 'GET', url: '/log' },
        { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message } as never,
        { code, retryAfter: undefined },
      ),
  );
}

const request = { namespace: 'shop', pod: 'web-1', container: 'main', tail: 500 };

function textsOf(events: readonly LogEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'lines' ? event.lines.map(({ text }) => text) : []));
}

describe('the log of a pod', () => {
  it('is requested with its last lines first, and after a disconnection from the time of its last line, without duplicates', () => {
    marbles(({ cold, flush }) => {
      const at = (second: number, text: string): string => `2026-03-01T12:00:0${second}.5Z ${text}\n`;
      const { client, requests } = clientWith(
        concat(of(head, part(at(1, 'one') + at(2, 'two'))), cold<never>('|')),
        concat(of(head, part(at(1, 'one') + at(2, 'two') + at(2, 'again') + at(3, 'three'))), NEVER),
      );
      const events: LogEvent[] = [];
      followLog(client, request).subscribe((event) => events.push(event));
      flush();
      expect(
        requests.map(({ path, query }) => [path, query?.['tailLines'], query?.['sinceTime'], query?.['follow']]),
      ).toEqual([
        ['/api/v1/namespaces/shop/pods/web-1/log', 500, undefined, true],
        ['/api/v1/namespaces/shop/pods/web-1/log', undefined, '2026-03-01T12:00:02Z', true],
      ]);
      expect(textsOf(events)).toEqual(['one', 'two', 'again', 'three']);
    });
  });

  it('is complete if a line has an earlier time than the line before, also after a disconnection', () => {
    marbles(({ cold, flush }) => {
      // The runtime stamps the lines of stdout and stderr before it writes them, each by itself.
      const line = (time: string, text: string): string => `2026-03-01T12:00:0${time}Z ${text}\n`;
      const before = line('1.1', 'out 1') + line('1.3', 'out 2') + line('1.2', 'err 1');
      const { client } = clientWith(
        concat(of(head, part(before)), cold<never>('|')),
        concat(of(head, part(before + line('1.5', 'out 3') + line('1.4', 'err 2'))), NEVER),
      );
      const events: LogEvent[] = [];
      followLog(client, request).subscribe((event) => events.push(event));
      flush();
      expect(textsOf(events)).toEqual(['out 1', 'out 2', 'err 1', 'out 3', 'err 2']);
    });
  });

  it('is reconnected after 1, 2, 4, 8 and then 15 s while no new lines arrive', () => {
    const clock = virtualClock();
    const times: number[] = [];
    const client: KubeClient = {
      exchange: () => {
        times.push(clock.now());
        return of(head);
      },
    };
    const startedAt = clock.now();
    followLog(client, request, clock).subscribe();
    clock.advance(50_000);
    expect(times.map((time) => time - startedAt)).toEqual([0, 1000, 3000, 7000, 15_000, 30_000, 45_000]);
  });

  it('reports why it cannot be read yet, and tries again; it stops if reading it is forbidden', () => {
    marbles(({ cold, expectObservable }) => {
      const { client } = clientWith(refusal(400, 'ContainerCreating'), refusal(403, 'forbidden'));
      expectObservable(followLog(client, request)).toBe('a 999ms (b|)', {
        a: { type: 'waiting', why: 'ContainerCreating' },
        b: { type: 'end', why: 'forbidden' },
      });
      cold('');
    });
  });

  it('reports why the log of the previous container cannot be read', () => {
    marbles(({ expectObservable }) => {
      const message = 'previous terminated container "main" in pod "web-1" not found';
      const { client } = clientWith(refusal(400, message));
      expectObservable(followLog(client, { ...request, previous: true })).toBe('(a|)', {
        a: { type: 'end', why: message },
      });
    });
  });

  it('is read once if the log of the previous container is requested', () => {
    marbles(({ flush }) => {
      const { client, requests } = clientWith(of(head, part('2026-03-01T12:00:01Z last words')));
      const events: LogEvent[] = [];
      let isOver = false;
      followLog(client, { ...request, previous: true }).subscribe({
        next: (event) => events.push(event),
        complete: () => (isOver = true),
      });
      flush();
      expect([textsOf(events), requests.length, requests[0]?.query?.['previous'], isOver]).toEqual([
        ['last words'],
        1,
        true,
        true,
      ]);
    });
  });
});

describe('the logs of several pods', () => {
  const target = (uid: string): LogTarget => ({ uid, namespace: 'shop', pod: uid, container: 'main', mode: 'stream' });
  const [a, b, c] = [target('a'), target('b'), target('c')] as const;

  it('are opened for pods that join, closed for pods that leave, and continue for all others', () => {
    marbles(({ hot, cold, expectObservable, expectSubscriptions }) => {
      const open: LogEvent = { type: 'open' };
      const logs = { a: cold('o---o---o', { o: open }), b: cold('-o--o', { o: open }), c: cold('o-', { o: open }) };
      const targets = hot<readonly LogTarget[]>('p---q-----r---|', { p: [a, b], q: [b, c], r: [b] });
      const said = followSelection(targets, ({ uid }) => logs[uid as 'a']).pipe(
        map(({ target: { uid }, type }) => `${uid} ${type}`),
      );
      expectObservable(said, '                   ^------------!').toBe('12--(345)-6', {
        1: 'a open',
        2: 'b open',
        3: 'a left',
        4: 'b open',
        5: 'c open',
        6: 'c left',
      });
      expectSubscriptions(logs.a.subscriptions).toBe('^---!');
      expectSubscriptions(logs.b.subscriptions).toBe('^------------!');
      expectSubscriptions(logs.c.subscriptions).toBe('----^-----!');
    });
  });

  it('are opened again for a pod that leaves and joins again', () => {
    let opened = 0;
    const targets = new Subject<readonly LogTarget[]>();
    followSelection(targets, () => {
      opened += 1;
      return NEVER;
    }).subscribe();
    for (const next of [[a], [], [a]]) targets.next(next);
    expect(opened).toBe(2);
  });

  it('are streamed for the first pods, polled for the next, and skipped for the others', () => {
    const targets = Array.from({ length: 9 }, (_, at) => ({ uid: String(at), namespace: '', pod: '', container: '' }));
    expect(withModes(targets, { streams: 2, polls: 3 }).map(({ uid, mode }) => [uid, mode])).toEqual([
      ['0', 'stream'],
      ['1', 'stream'],
      ['2', 'poll'],
      ['3', 'poll'],
      ['4', 'poll'],
    ]);
  });

  it('continue after the last line if a polled pod becomes a streamed one, or a pod joins again', () => {
    const clock = virtualClock();
    const line = (second: number): string => `2026-03-01T12:00:0${second}Z line ${second}\n`;
    const { client, requests } = clientWith(
      of(head, part(line(1) + line(2))),
      concat(of(head, part(line(2) + line(3))), NEVER),
      concat(of(head, part(line(3) + line(4))), NEVER),
    );
    const targets = new Subject<readonly LogTarget[]>();
    let shown = noLogs;
    followedLogs(() => client, targets, { tail: 500, previous: false, scheduler: clock }).subscribe((logs) => {
      shown = logs;
    });
    for (const next of [[{ ...a, mode: 'poll' as const }], [a], [], [a]]) {
      targets.next(next);
      clock.advance(500);
    }
    expect(shown.ring.lines.map(({ text }) => text)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    expect(requests.map(({ query }) => [query?.['tailLines'], query?.['sinceTime']])).toEqual([
      [500, undefined],
      [500, '2026-03-01T12:00:02Z'],
      [500, '2026-03-01T12:00:03Z'],
    ]);
  });

  it('use one connection for all polled pods', () => {
    const answers = [new Subject<ResponsePart>(), new Subject<ResponsePart>(), new Subject<ResponsePart>()];
    const { client, requests } = clientWith(...answers);
    const polled = oneByOne(client);
    const [, second] = [0, 1, 2].map((at) => polled.exchange({ method: 'GET', path: `/${at}` }).subscribe());
    expect(requests.map(({ path }) => path)).toEqual(['/0']);
    second?.unsubscribe();
    answers[0]?.complete();
    expect(requests.map(({ path }) => path)).toEqual(['/0', '/2']);
  });

  it('are ordered by time if lines arrive at one moment', () => {
    const lines = (of: LogTarget, ...seconds: readonly number[]) => ({
      target: of,
      type: 'lines' as const,
      lines: seconds.map((second) => ({ time: `2026-03-01T12:00:0${second}Z`, text: `${of.uid}${second}` })),
    });
    const { ring, logs } = withEvents(noLogs, [lines(a, 1, 4), lines(b, 2, 3), { target: b, type: 'left' }]);
    expect([ring.lines.map(({ text }) => text), [...logs.values()].map(({ target: { uid } }) => uid)]).toEqual([
      ['a1', 'b2', 'b3', 'a4'],
      ['a'],
    ]);
  });
});

describe('the kept log lines', () => {
  const line = (text: string) => ({ source: 'a', time: undefined, text });

  it('are the last ones, limited by number and by size, with a count of the dropped ones', () => {
    const byNumber = append(emptyRing, ['a', 'b', 'c', 'd'].map(line), { lines: 2, size: 100 });
    expect([byNumber.lines.map(({ id, text }) => `${id}${text}`), byNumber.dropped, byNumber.size]).toEqual([
      ['2c', '3d'],
      2,
      2,
    ]);
    const bySize = append(byNumber, [line('x'.repeat(99))], { lines: 10, size: 100 });
    expect([bySize.lines.length, bySize.dropped, bySize.size]).toEqual([2, 3, 100]);
    expect(append(bySize, [line('y'.repeat(500))], { lines: 10, size: 100 }).lines.length).toBe(1);
  });
});

describe('the text of a log line', () => {
  it('is decoded from bytes that are split anywhere, also in the middle of a character', () => {
    const bytes = new TextEncoder().encode('one\ntwö\r\nthree');
    const splitter = lineSplitter();
    const lines = [...bytes].flatMap((byte) => splitter.push(Uint8Array.of(byte)));
    expect([...lines, ...splitter.end()]).toEqual(['one', 'twö', 'three']);
  });

  it('contains no terminal colours, titles or cursor movements', () => {
    expect(withoutEscapes('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001b[2K\u001b[1A\u001b(By')).toBe('red xy');
  });

  it('is separated from its time, and truncated if it is too long', () => {
    expect(timedText('2026-03-01T12:00:01.123456789Z hello')).toEqual({
      time: '2026-03-01T12:00:01.123456789Z',
      text: 'hello',
    });
    expect(timedText('no time').time).toBeUndefined();
    expect(timedText('x'.repeat(10_000)).text.length).toBe(8001);
  });

  it('is ordered by time, regardless of the time zone in which its node writes it', () => {
    const [first, second] = ['2026-03-01T12:00:00.9Z', '2026-03-01T14:00:01.1+02:00'];
    expect(compareTimes(first, second)).toBeLessThan(0);
    expect(compareTimes('2026-03-01T12:00:01.1Z', second)).toBe(0);
    const lines = (of: LogTarget, time: string) => ({
      target: of,
      type: 'lines' as const,
      lines: [{ time, text: of.pod }],
    });
    const target = (pod: string): LogTarget => ({ ...request, pod, uid: pod, mode: 'stream' });
    const { ring } = withEvents(noLogs, [
      lines(target('third'), '2026-03-01T12:00:01.15Z'),
      lines(target('second'), second),
      lines(target('first'), first),
    ]);
    expect(ring.lines.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  });

  it('is ordered by time, with any number of fraction digits', () => {
    expect(compareTimes('2026-03-01T12:00:01.5Z', '2026-03-01T12:00:01.45Z')).toBe(1);
    expect(compareTimes('2026-03-01T12:00:01Z', '2026-03-01T12:00:01.000000000Z')).toBe(0);
  });
});
