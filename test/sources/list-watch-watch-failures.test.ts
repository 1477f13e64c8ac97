import type { ResponsePart } from 'rx-informers/client';
import { NEVER, of } from 'rxjs';
import { credentialsError } from '../../src/sources/model/errors.js';
import { added, bookmark, errorLine, line, modified } from '../fixtures/wire.js';
import { list, open, refused, reset, run } from './support/run-list-watch.js';
import { encode, refuse, respond, somewhere, statusError, type Answer } from './support/scripted-client.js';

describe('listWatch when a watch fails', () => {
  it('R8: waits and opens the watch again without a list after connection refused and 429 (TestBackoffOnTooManyRequests, TestNoRelistOnTooManyRequests)', () => {
    const tooMany = refuse(statusError(429));
    const { client, seen } = run(
      [list('10'), refuse(refused), tooMany, respond([[10, errorLine(429)]]), respond([[10, added('b@11')]])],
      60_000,
    );
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      ...Array<string>(4).fill('WATCH resourceVersion=10'),
    ]);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '2: LISTED 10(a@1)',
      '3: ERROR RXI_CONNECTION ECONNREFUSED <backing-off until 803 attempt 1>',
      '803: <reconnecting>',
      '804: ERROR RXI_STATUS 429 <backing-off until 2404 attempt 2>',
      '2404: <reconnecting>',
      '2404: <watching 10>',
      '2414: ERROR RXI_STATUS 429 <backing-off until 5614 attempt 3>',
      '5614: <reconnecting>',
      '5614: <watching 10>',
      '5624: ADDED(b@11)',
    ]);
  });

  it.each<[string, Error, string]>([
    ['unreadable credentials', credentialsError(somewhere, new Error('token file')), 'WATCH resourceVersion=10'],
    ['a connection reset', reset, 'WATCH resourceVersion=10'],
    ['503', statusError(503), 'WATCH resourceVersion=10'],
    ['408', statusError(408), 'WATCH resourceVersion=10'],
    ['410', statusError(410), 'LIST resourceVersion=10'],
    ['500', statusError(500), 'LIST resourceVersion=10'],
    ['403', statusError(403), 'LIST resourceVersion=10'],
    ['404', statusError(404), 'LIST resourceVersion=10'],
    ['405', statusError(405), 'LIST resourceVersion=10'],
    ['an unknown error', new Error('a foreign client'), 'LIST resourceVersion=10'],
  ])('R8 ▲: sends another request after a wait if opening fails with %s (%#)', (_name, error, next) => {
    const { client } = run([list('10'), refuse(error), list('20'), open], 1_500);
    expect(client.log[2]).toBe(next);
  });

  it('R14: reports a watch that ends at once without an event as an error, and lists (TestReflectorHandleWatchResultChanClosedBefore)', () => {
    const { client, seen } = run([list('10'), respond([], { end: 100 }), list('10'), open], 10_000);
    expect(client.log.slice(1)).toEqual([
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=10',
    ]);
    expect(seen[3]).toBe('102: ERROR RXI_EARLY_CLOSE <backing-off until 902 attempt 1>');
  });

  it('R14: does not count a slow open as a short watch', () => {
    const { client } = run([list('10'), respond([], { headAt: 1_200, end: 1_300 }), open], 10_000);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=10']);
  });

  it('R14 ▲: does not loop if a server ends every watch at once with one old event', () => {
    const { client } = run([list('10'), respond([[1, bookmark('10')]], { end: 2 })], 10_000);
    expect(client.requests.length).toBeLessThan(12);
  });

  it('R14 ▲: lists after five early ends in a row without an event, even if each watch lasted a second', () => {
    const early = respond([], { end: 5_000 });
    const { client } = run([list('10'), early, early, early, early, early, list('20'), open], 60_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      ...Array<string>(5).fill('WATCH resourceVersion=10'),
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('X2: reports a broken connection and resumes at once, without a list', () => {
    const { client, seen } = run(
      [list('10'), respond([[10, added('b@11') + '{"type":"ADD']], { cut: [5_000, reset] }), open],
      10_000,
    );
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
    expect(seen.slice(3)).toEqual([
      '12: ADDED(b@11)',
      '5002: ERROR RXI_CONNECTION ECONNRESET <reconnecting>',
      '5002: <watching 11>',
    ]);
  });

  it('X2: reports a truncated last line, and receives it again from the version before it', () => {
    const { client, data } = run(
      [
        list('10'),
        respond([[10, added('b@11') + added('c@12').slice(0, 30)]], { end: 5_000 }),
        respond([[1, added('c@12')]]),
      ],
      10_000,
    );
    expect(client.log[2]).toBe('WATCH resourceVersion=11');
    expect(data).toEqual(['2: LISTED 10(a@1)', '12: ADDED(b@11)', '5002: ERROR RXI_DECODE', '5003: ADDED(c@12)']);
  });

  it('accepts a last line without a newline', () => {
    const { data } = run([list('10'), respond([[10, added('b@11').trim()]], { end: 5_000 }), open], 10_000);
    expect(data).toEqual(['2: LISTED 10(a@1)', '5002: ADDED(b@11)']);
  });

  it.each([
    ['410', errorLine(410, { reason: 'Expired' }), 'RXI_STATUS 410'],
    ['500', errorLine(500), 'RXI_STATUS 500'],
    ['a corrupt object that was deleted', errorLine(500, { reason: 'StoreReadError' }), 'RXI_STATUS 500'],
    ['an ERROR without a Status', line('ERROR', { kind: 'Pod' }), 'RXI_RESPONSE'],
    ['an unknown type', line('SYNCED', { kind: 'Pod', metadata: { resourceVersion: '12' } }), 'RXI_RESPONSE'],
    [
      'another kind (TestReflectorWatchHandler)',
      line('ADDED', { kind: 'Node', metadata: { name: 'n', resourceVersion: '12' } }),
      'RXI_RESPONSE',
    ],
    ['a Table', line('ADDED', { kind: 'Table', metadata: { resourceVersion: '12' } }), 'RXI_RESPONSE'],
    ['an event without an object', '{"type":"ADDED"}\n', 'RXI_RESPONSE'],
    ['an event without a version', line('MODIFIED', { kind: 'Pod', metadata: { name: 'a' } }), 'RXI_RESPONSE'],
    ['a bookmark without a version', line('BOOKMARK', { kind: 'Pod', metadata: {} }), 'RXI_RESPONSE'],
    ['an invalid event', '5\n', 'RXI_RESPONSE'],
    ['garbage', 'garbage\n', 'RXI_DECODE'],
  ])('R10 ▲, R12 ▲, R15, R16 ▲: reports %s, and lists from the last emitted version', (_name, text, error) => {
    const { client, data } = run(
      [list('10'), respond([[10, modified('a@11') + text + added('late@13')]]), list('20', ['a', 'late']), open],
      10_000,
    );
    expect(data).toEqual(['2: LISTED 10(a@1)', `12: MODIFIED(a@11) ERROR ${error}`, '814: LISTED 20(a@1 late@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=11');
  });

  it('R15: finds objects that were deleted without an event with the list after an in-stream error (TestReflectorReplacesStoreOnUnsafeDelete)', () => {
    const { data } = run(
      [list('10', ['a', 'b']), respond([[10, errorLine(500, { reason: 'StoreReadError' })]]), list('20', ['a']), open],
      10_000,
    );
    expect(data.at(-1)).toBe('814: LISTED 20(a@1)');
  });

  it('reports HTML instead of a watch as an error, and lists', () => {
    const { client, data } = run(
      [
        list('10'),
        of<ResponsePart[]>(
          { type: 'head', status: 200, headers: { 'content-type': 'text/html' } },
          { type: 'bytes', bytes: encode('<html>') },
        ),
        list('20'),
        open,
      ],
      10_000,
    );
    expect(data[1]).toBe('2: ERROR RXI_RESPONSE');
    expect(client.log[2]).toBe('LIST resourceVersion=10');
  });

  it('G6: aborts and resumes a watch that is silent for longer than its timeout plus grace', () => {
    const { client, seen } = run([list('10'), respond([[100_000, added('b@11')]]), open], 400_000);
    expect(seen.slice(3)).toEqual([
      '100002: ADDED(b@11)',
      '330002: ERROR RXI_SILENT_CONNECTION <reconnecting>',
      '330002: <watching 11>',
    ]);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
  });

  it('G6: replaces a watch without an error if the server ignores the timeout but sends events', () => {
    const { data, client } = run([list('10'), respond([[320_000, added('b@11')]]), open], 400_000);
    expect(data).toEqual(['2: LISTED 10(a@1)', '320002: ADDED(b@11)']);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
  });

  it('G6: aborts a watch without a response, and lists', () => {
    const { client, data } = run([list('10'), NEVER, list('20'), open], 100_000);
    expect(data.slice(1)).toEqual(['60002: ERROR RXI_SILENT_CONNECTION', '60804: LISTED 20(a@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=10');
  });

  it('R18 ▲: resets the backoff only after two minutes without a failure', () => {
    const fails = (at: number): Answer =>
      respond([
        [10, added(`b@${at}`)],
        [at, errorLine(500)],
      ]);
    const { seen } = run(
      [list('10'), fails(1_000), list('1001'), fails(60_000), list('60001'), fails(130_000), list('130001'), open],
      400_000,
    );
    expect(seen.flatMap((text) => /attempt (\d+)/.exec(text)?.[1] ?? [])).toEqual(['1', '2', '1']);
  });

  it('R18 ▲: does not reset the backoff in a long outage', () => {
    const healthy = respond([[130_000, errorLine(500)]]);
    const { seen } = run([list('10'), healthy, refuse(refused)], 400_000);
    const attempts = seen.flatMap((text) => /attempt (\d+)/.exec(text)?.[1] ?? []);
    expect(attempts).toEqual(attempts.map((_, index) => String(index + 1)));
    expect(attempts.length).toBeGreaterThan(8);
  });

  it('R18 ▲: adds up watches that end normally and are shorter than two minutes', () => {
    const healthy = respond([[10, bookmark('99')]], { end: 50_000 });
    const { seen } = run([list('10'), refuse(refused), healthy, healthy, healthy, refuse(refused), open], 400_000);
    expect(seen.flatMap((text) => /attempt (\d+)/.exec(text)?.[1] ?? [])).toEqual(['1', '1']);
  });
});
