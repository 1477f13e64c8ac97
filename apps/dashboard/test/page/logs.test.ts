import { StatusError, type KubeClient } from 'rx-informers';
import type { KubeRequest, ResponsePart } from 'rx-informers/client';
import { virtualClock } from 'rx-informers/testing';
import { concat, NEVER, Observable, of, Subject, throwError } from 'rxjs';
import { followedLogs, noLogs, oneByOne, withEvents } from '../../page/logs/followed-logs.js';
import { append, emptyRing } from '../../page/logs/log-ring.js';
import { withModes, type LogTarget } from '../../page/logs/log-targets.js';
import { shownText, withoutEscapes } from '../../page/logs/log-text.js';

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

function targetOf(uid: string): LogTarget {
  return { uid, namespace: 'shop', pod: uid, container: 'main', mode: 'stream' };
}

function lineOf(target: LogTarget, time: string, text: string) {
  return { pod: { metadata: { uid: target.uid }, target }, container: target.container, time, text };
}

describe('the logs of several pods', () => {
  const [a, b, c] = [targetOf('a'), targetOf('b'), targetOf('c')] as const;

  /** Follows targets, and returns the last value. */
  function follow(client: KubeClient, options: { readonly previous?: boolean } = {}) {
    const clock = virtualClock();
    const targets = new Subject<readonly LogTarget[]>();
    let shown = noLogs;
    const { previous = false } = options;
    followedLogs({ ...client, scheduler: clock }, targets, { tail: 500, previous, scheduler: clock }).subscribe(
      (logs) => {
        shown = logs;
      },
    );
    return {
      clock,
      show: (...next: readonly LogTarget[]) => {
        targets.next(next);
        clock.advance(500);
      },
      texts: () => shown.ring.lines.map(({ text }) => text),
      states: () => [...shown.logs.values()].map(({ target: { uid }, state, why }) => [uid, state, why]),
    };
  }

  it('are opened for pods that join, closed for pods that leave, and continue for all others', () => {
    let open = 0;
    const client: KubeClient = {
      exchange: () =>
        new Observable<ResponsePart>((subscriber) => {
          open += 1;
          subscriber.next(head);
          return () => (open -= 1);
        }),
    };
    const { show, states } = follow(client);
    show(a, b);
    expect([open, states()]).toEqual([
      2,
      [
        ['a', 'open', undefined],
        ['b', 'open', undefined],
      ],
    ]);
    show(b, c);
    expect([open, states().map(([uid]) => uid)]).toEqual([2, ['b', 'c']]);
    show();
    expect([open, states()]).toEqual([0, []]);
  });

  it('say why a log cannot be read, and that it ends if reading it is forbidden', () => {
    const { client } = clientWith(refusal(400, 'ContainerCreating'), refusal(403, 'forbidden'));
    const { show, states, clock } = follow(client);
    show(a);
    expect(states()).toEqual([['a', 'waiting', 'ContainerCreating']]);
    clock.advance(2_000);
    expect(states()).toEqual([['a', 'ended', 'forbidden']]);
  });

  it('are read once if the log of the previous container is requested', () => {
    const { client, requests } = clientWith(of(head, part('2026-03-01T12:00:01Z last words')));
    const { show, states, texts, clock } = follow(client, { previous: true });
    show(a);
    clock.advance(60_000);
    expect([texts(), states(), requests.map(({ query }) => query?.['previous'])]).toEqual([
      ['last words'],
      [['a', 'ended', undefined]],
      [true],
    ]);
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
    const line = (second: number): string => `2026-03-01T12:00:0${second}Z line ${second}\n`;
    const { client, requests } = clientWith(
      of(head, part(line(1) + line(2))),
      concat(of(head, part(line(2) + line(3))), NEVER),
      concat(of(head, part(line(3) + line(4))), NEVER),
    );
    const { show, texts } = follow(client);
    for (const next of [[{ ...a, mode: 'poll' as const }], [a], [], [a]]) show(...next);
    expect(texts()).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
    expect(requests.map(({ query }) => [query?.['tailLines'], query?.['sinceTime']])).toEqual([
      [500, undefined],
      [undefined, '2026-03-01T12:00:02Z'],
      [undefined, '2026-03-01T12:00:03Z'],
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
    const lines = (target: LogTarget, ...seconds: readonly number[]) =>
      seconds.map((second) => lineOf(target, `2026-03-01T12:00:0${second}Z`, `${target.uid}${second}`));
    const { ring, logs } = withEvents(noLogs, [...lines(a, 1, 4), ...lines(b, 2, 3), { targets: [a] }]);
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
  it('contains no terminal colours, titles or cursor movements', () => {
    expect(withoutEscapes('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\u001b[2K\u001b[1A\u001b(By')).toBe('red xy');
  });

  it('is truncated if it is too long', () => {
    expect(shownText('x'.repeat(10_000)).length).toBe(8001);
  });

  it('is ordered by time, regardless of the time zone in which its node writes it', () => {
    const [first, second] = ['2026-03-01T12:00:00.9Z', '2026-03-01T14:00:01.1+02:00'];
    const line = (name: string, time: string) => lineOf(targetOf(name), time, name);
    const { ring } = withEvents(noLogs, [
      line('third', '2026-03-01T12:00:01.15Z'),
      line('second', second),
      line('first', first),
    ]);
    expect(ring.lines.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  });
});
