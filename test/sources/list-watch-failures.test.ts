import { asyncScheduler, NEVER, of, Subscription, take, type Observable } from 'rxjs';
import { listWatch, type ListWatchOptions } from '../../src/sources/list-watch.js';
import { ConnectionError, CredentialsError } from '../../src/sources/source-error.js';
import {
  added,
  bookmark,
  deleted,
  endBookmark,
  errorLine,
  line,
  modified,
  podList,
  pods,
  type Pod,
} from './support/pod.js';
import {
  encode,
  refuse,
  respond,
  scriptedClient,
  somewhere,
  statusError,
  type Answer,
  type ScriptedClient,
} from './support/scripted-client.js';
import { dataTimeline, inVirtualTime, timeline } from './support/timeline.js';

const paged: ListWatchOptions<Pod> = { initialList: 'pages', random: () => 0 };
const streamed: ListWatchOptions<Pod> = { random: () => 0 };
const refused = new ConnectionError(somewhere, Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
const reset = new ConnectionError(somewhere, Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
const list = (version: string, names: readonly string[] = ['a']): Answer =>
  respond([[1, podList(version, names)]], { end: 2 });
const open = respond([]);

interface Run {
  readonly client: ScriptedClient;
  readonly seen: readonly string[];
  readonly data: readonly string[];
}

function run(answers: readonly Answer[], until: number, options: ListWatchOptions<Pod> = paged): Run {
  const client = scriptedClient(answers);
  const seen = timeline(() => listWatch(client, pods, options), until);
  const data = seen.map((text) => text.replace(/ ?<[^>]*>/g, '')).filter((text) => !/^\d+:$/.test(text));
  return { client, seen, data };
}

describe('listWatch, when a list fails', () => {
  it('R4: 410 is answered at once, once, with the most recent version (TestReflectorExpiredExactResourceVersion)', () => {
    const { client, seen } = run(
      [list('10'), respond([[1_000, errorLine(410)]]), refuse(statusError(410)), list('20', ['b']), open],
      60_000,
    );
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'LIST limit=500',
      'WATCH resourceVersion=20',
    ]);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '2: LISTED 10(a@1)',
      '2: <watching 10>',
      '1002: ERROR StatusError 410 <backing-off until 1802 attempt 1>',
      '1802: <listing by pages 0>',
      '1803: ERROR StatusError 410 <listing by pages 0>',
      '1805: LISTED 20(b@1)',
      '1805: <watching 20>',
    ]);
  });

  it('R4: 410 again waits, and the most recent version is asked for until a list succeeds', () => {
    const gone = refuse(statusError(410));
    const { client } = run(
      [
        list('10'),
        respond([[1_000, errorLine(410)]]),
        gone,
        gone,
        gone,
        list('20'),
        respond([[1_000, errorLine(410)]]),
        list('30'),
        open,
      ],
      60_000,
    );
    expect(client.log.slice(2)).toEqual([
      'LIST resourceVersion=10',
      'LIST limit=500',
      'LIST limit=500',
      'LIST limit=500',
      'WATCH resourceVersion=20',
      'LIST resourceVersion=20',
      'WATCH resourceVersion=30',
    ]);
  });

  it.each([
    [
      'by its cause',
      statusError(504, { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ],
    [
      'by the text of its cause',
      statusError(504, { reason: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } }),
    ],
    [
      'by the text of a timeout',
      statusError(504, { reason: 'Timeout', message: 'Too large resource version: 30, current: 10' }),
    ],
  ])(
    'R4: a version that is too large, known %s, recovers through the most recent one (TestReflectorFullListIfTooLarge)',
    (_name, error) => {
      const { client } = run([list('10'), respond([[1_000, errorLine(410)]]), refuse(error), list('5'), open], 60_000);
      expect(client.log.slice(2)).toEqual(['LIST resourceVersion=10', 'LIST limit=500', 'WATCH resourceVersion=5']);
    },
  );

  it('U5: an expired continuation is followed by one list without limit at the version asked for (TestReflectorFullListIfExpired)', () => {
    const page = respond([[1, podList('10', ['a'], { continue: 'next' })]], { end: 2 });
    const { client, data } = run([page, refuse(statusError(410)), list('12', ['a', 'b']), open], 1_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 continue=next',
      'LIST resourceVersion=0',
      'WATCH resourceVersion=12',
    ]);
    expect(data).toEqual(['3: ERROR StatusError 410', '5: LISTED 12(a@1 b@1)']);
  });

  it('R2, R3: after a list at version 0 came in pages, every list has a limit; otherwise none at a version (TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled)', () => {
    const gone = respond([[1_000, errorLine(410)]]);
    const page = respond([[1, podList('10', ['a'], { continue: 'next' })]], { end: 2 });
    expect(run([page, list('10'), gone, list('20'), open], 60_000).client.log[3]).toBe(
      'LIST limit=500 resourceVersion=10',
    );
    expect(run([list('10'), gone, list('20'), open], 60_000).client.log[2]).toBe('LIST resourceVersion=10');
    expect(run([list('10'), gone, list('20'), open], 60_000, { ...paged, pageSize: 4 }).client.log[2]).toBe(
      'LIST limit=4 resourceVersion=10',
    );
    expect(
      run([list('10'), gone, list('20'), open], 60_000, { ...paged, listConsistency: 'most-recent' }).client.log.filter(
        (text) => text.startsWith('LIST'),
      ),
    ).toEqual(['LIST limit=500', 'LIST limit=500']);
  });

  it.each([
    [401, 'forbidden'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [406, 'backing-off'],
    [500, 'backing-off'],
    [503, 'backing-off'],
  ])('G5, G6: %i is a visible state (%s) and tried again with longer and longer waits', (code, state) => {
    const { client, seen } = run([refuse(statusError(code))], 10_000);
    expect(seen.filter((text) => text.includes('ERROR'))).toEqual([
      `1: ERROR StatusError ${code} <${state} until 801 attempt 1>`,
      `802: ERROR StatusError ${code} <${state} until 2402 attempt 2>`,
      `2403: ERROR StatusError ${code} <${state} until 5603 attempt 3>`,
      `5604: ERROR StatusError ${code} <${state} until 12004 attempt 4>`,
    ]);
    expect(client.requests).toHaveLength(4);
  });

  it('R18: honours Retry-After as the least wait', () => {
    const { client } = run([refuse(statusError(429, {}, 7_000)), list('10'), open], 7_100);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
    expect(run([refuse(statusError(429, {}, 7_000)), list('10'), open], 7_000).client.log).toHaveLength(1);
  });

  it('R18: takes another backoff (TestNewReflectorWithCustomBackoff); a broken one never stops it', () => {
    const waits = [10, 20, 40];
    const { seen } = run([refuse(refused)], 60, { ...paged, backoff: (attempt) => waits[attempt - 1] ?? 1_000 });
    expect(seen.flatMap((text) => /until (\d+)/.exec(text)?.[1] ?? [])).toEqual(['11', '32', '73']);
    const broken = run([refuse(refused)], 10, { ...paged, backoff: () => NaN });
    expect(broken.client.requests.length).toBeGreaterThan(5);
  });

  it('G6: a list whose head does not come, or that falls silent, is given up and tried again', () => {
    const silent = respond([
      [10, '{"kind":"PodList",'],
      [20_000, '"metadata":{"resourceVersion":"1"},'],
    ]);
    const { seen } = run([NEVER, silent, list('10'), open], 200_000);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '60000: ERROR SilentConnectionError <backing-off until 60800 attempt 1>',
      '60800: <listing by pages 0>',
      '110800: ERROR SilentConnectionError <backing-off until 112400 attempt 2>',
      '112400: <listing by pages 0>',
      '112402: LISTED 10(a@1)',
      '112402: <watching 10>',
    ]);
  });

  it('a list without a resourceVersion is delivered and reported, and read again instead of watched', () => {
    const { client, seen } = run([respond([[1, podList(undefined, ['a'])]], { end: 2 })], 1_000);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '2: LISTED (a@1) ERROR ResponseError <backing-off until 802 attempt 1>',
      '802: <listing by pages 0>',
      '804: LISTED (a@1) ERROR ResponseError <backing-off until 2404 attempt 2>',
    ]);
    expect(client.log.every((text) => text.startsWith('LIST'))).toBe(true);
  });

  it.each([
    ['HTML', '<html><body>Sign in</body></html>', 'ResponseError'],
    [
      'a Status',
      JSON.stringify({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code: 403,
        reason: 'Forbidden',
      }),
      'StatusError 403',
    ],
    [
      'a Table',
      JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, items: [] }),
      'ResponseError',
    ],
    ['no list', JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '4' } }), 'ResponseError'],
    ['nothing', '', 'ResponseError'],
    ['a list that is cut off', podList('10', ['a', 'b']).slice(0, -10), 'ResponseError'],
    [
      'an item that is not an object',
      '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[5]}',
      'ResponseError',
    ],
    [
      'an item that is not JSON',
      '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"a":tru}]}',
      'DecodeError',
    ],
  ])('%s instead of a list is an error, and the list is tried again', (_name, text, error) => {
    const { data } = run([respond(text === '' ? [] : [[1, text]], { end: 2 }), list('10'), open], 2_000);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatch(new RegExp(`^\\d: ERROR ${error}$`));
    expect(data[1]).toMatch(/LISTED 10\(a@1\)$/);
  });

  it('an item that is not UTF-8 is an error, and the list is tried again', () => {
    const [before = '', after = ''] = podList('10', ['a', 'X']).split('"X"');
    const bytes = Uint8Array.of(...encode(before), 0x22, 0xff, 0x22, ...encode(after));
    const broken: Answer = of({ type: 'head' as const, status: 200, headers: {} }, { type: 'bytes' as const, bytes });
    expect(run([broken, list('10'), open], 2_000).data).toEqual(['0: ERROR DecodeError', '802: LISTED 10(a@1)']);
  });
});

describe('listWatch, when a watch fails', () => {
  it('R8: connection refused and 429 on opening wait and open again, without a list (TestBackoffOnTooManyRequests, TestNoRelistOnTooManyRequests)', () => {
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
      '3: ERROR ConnectionError ECONNREFUSED <backing-off until 803 attempt 1>',
      '803: <reconnecting>',
      '804: ERROR StatusError 429 <backing-off until 2404 attempt 2>',
      '2404: <reconnecting>',
      '2404: <watching 10>',
      '2414: ERROR StatusError 429 <backing-off until 5614 attempt 3>',
      '5614: <reconnecting>',
      '5614: <watching 10>',
      '5624: ADDED(b@11)',
    ]);
  });

  it.each<[string, Error, string]>([
    ['unreadable credentials', new CredentialsError(somewhere, new Error('token file')), 'WATCH resourceVersion=10'],
    ['a connection reset', reset, 'WATCH resourceVersion=10'],
    ['503', statusError(503), 'WATCH resourceVersion=10'],
    ['408', statusError(408), 'WATCH resourceVersion=10'],
    ['410', statusError(410), 'LIST resourceVersion=10'],
    ['500', statusError(500), 'LIST resourceVersion=10'],
    ['403', statusError(403), 'LIST resourceVersion=10'],
    ['404', statusError(404), 'LIST resourceVersion=10'],
    ['405', statusError(405), 'LIST resourceVersion=10'],
    ['something unknown', new Error('a foreign client'), 'LIST resourceVersion=10'],
  ])('R8 ▲: on opening, %s is followed by another request, after a wait (%#)', (_name, error, next) => {
    const { client } = run([list('10'), refuse(error), list('20'), open], 1_500);
    expect(client.log[2]).toBe(next);
  });

  it('R14: a watch that ends at once without an event is an error, and is followed by a list (TestReflectorHandleWatchResultChanClosedBefore)', () => {
    const { client, seen } = run([list('10'), respond([], { end: 100 }), list('10'), open], 10_000);
    expect(client.log.slice(1)).toEqual([
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=10',
    ]);
    expect(seen[3]).toBe('102: ERROR EarlyCloseError <backing-off until 902 attempt 1>');
  });

  it('R14: a slow open is not a short life', () => {
    const { client } = run([list('10'), respond([], { headAt: 1_200, end: 1_300 }), open], 10_000);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=10']);
  });

  it('R14 ▲: a server that ends every watch at once with one old event is not asked in a hot loop', () => {
    const { client } = run([list('10'), respond([[1, bookmark('10')]], { end: 2 })], 10_000);
    expect(client.requests.length).toBeLessThan(12);
  });

  it('R14 ▲: five early ends in a row without an event force a list, though each lived for a second', () => {
    const early = respond([], { end: 5_000 });
    const { client } = run([list('10'), early, early, early, early, early, list('20'), open], 60_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      ...Array<string>(5).fill('WATCH resourceVersion=10'),
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('X2: a connection that breaks is reported and resumed at once, without a list', () => {
    const { client, seen } = run(
      [list('10'), respond([[10, added('b@11') + '{"type":"ADD']], { cut: [5_000, reset] }), open],
      10_000,
    );
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
    expect(seen.slice(3)).toEqual([
      '12: ADDED(b@11)',
      '5002: ERROR ConnectionError ECONNRESET <reconnecting>',
      '5002: <watching 11>',
    ]);
  });

  it('X2: a truncated last line is reported, and comes again from the version before it', () => {
    const { client, data } = run(
      [
        list('10'),
        respond([[10, added('b@11') + added('c@12').slice(0, 30)]], { end: 5_000 }),
        respond([[1, added('c@12')]]),
      ],
      10_000,
    );
    expect(client.log[2]).toBe('WATCH resourceVersion=11');
    expect(data).toEqual(['2: LISTED 10(a@1)', '12: ADDED(b@11)', '5002: ERROR DecodeError', '5003: ADDED(c@12)']);
  });

  it('a last line without a newline is an event like any other', () => {
    const { data } = run([list('10'), respond([[10, added('b@11').trim()]], { end: 5_000 }), open], 10_000);
    expect(data).toEqual(['2: LISTED 10(a@1)', '5002: ADDED(b@11)']);
  });

  it.each([
    ['410', errorLine(410, { reason: 'Expired' }), 'StatusError 410'],
    ['500', errorLine(500), 'StatusError 500'],
    ['corrupt object deleted', errorLine(500, { reason: 'StoreReadError' }), 'StatusError 500'],
    ['an ERROR without a Status', line('ERROR', { kind: 'Pod' }), 'ResponseError'],
    ['an unknown type', line('SYNCED', { kind: 'Pod', metadata: { resourceVersion: '12' } }), 'ResponseError'],
    [
      'another kind (TestReflectorWatchHandler)',
      line('ADDED', { kind: 'Node', metadata: { name: 'n', resourceVersion: '12' } }),
      'ResponseError',
    ],
    ['a Table', line('ADDED', { kind: 'Table', metadata: { resourceVersion: '12' } }), 'ResponseError'],
    ['an event without an object', '{"type":"ADDED"}\n', 'ResponseError'],
    ['an event without a version', line('MODIFIED', { kind: 'Pod', metadata: { name: 'a' } }), 'ResponseError'],
    ['a bookmark without a version', line('BOOKMARK', { kind: 'Pod', metadata: {} }), 'ResponseError'],
    ['no event at all', '5\n', 'ResponseError'],
    ['garbage', 'garbage\n', 'DecodeError'],
  ])(
    'R10 ▲, R12 ▲, R15, R16 ▲: %s is reported, and a list follows from the last version that was delivered',
    (_name, text, error) => {
      const { client, data } = run(
        [list('10'), respond([[10, modified('a@11') + text + added('late@13')]]), list('20', ['a', 'late']), open],
        10_000,
      );
      expect(data).toEqual(['2: LISTED 10(a@1)', `12: MODIFIED(a@11) ERROR ${error}`, '814: LISTED 20(a@1 late@1)']);
      expect(client.log[2]).toBe('LIST resourceVersion=11');
    },
  );

  it('R15: the list after an in-stream error finds what was deleted without an event (TestReflectorReplacesStoreOnUnsafeDelete)', () => {
    const { data } = run(
      [list('10', ['a', 'b']), respond([[10, errorLine(500, { reason: 'StoreReadError' })]]), list('20', ['a']), open],
      10_000,
    );
    expect(data.at(-1)).toBe('814: LISTED 20(a@1)');
  });

  it('HTML instead of a watch is an error, and a list follows', () => {
    const { client, data } = run(
      [
        list('10'),
        of(
          { type: 'head', status: 200, headers: { 'content-type': 'text/html' } },
          { type: 'bytes', bytes: encode('<html>') },
        ),
        list('20'),
        open,
      ],
      10_000,
    );
    expect(data[1]).toBe('2: ERROR ResponseError');
    expect(client.log[2]).toBe('LIST resourceVersion=10');
  });

  it('G6: a watch that outlives its timeout plus grace without a sign is given up and resumed', () => {
    const { client, seen } = run([list('10'), respond([[100_000, added('b@11')]]), open], 400_000);
    expect(seen.slice(3)).toEqual([
      '100002: ADDED(b@11)',
      '330002: ERROR SilentConnectionError <reconnecting>',
      '330002: <watching 11>',
    ]);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
  });

  it('G6: a watch whose server ignores the timeout but talks is changed for a new one without an error', () => {
    const { data, client } = run([list('10'), respond([[320_000, added('b@11')]]), open], 400_000);
    expect(data).toEqual(['2: LISTED 10(a@1)', '320002: ADDED(b@11)']);
    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=10', 'WATCH resourceVersion=11']);
  });

  it('G6: a watch whose head does not come is given up, and a list follows', () => {
    const { client, data } = run([list('10'), NEVER, list('20'), open], 100_000);
    expect(data.slice(1)).toEqual(['60002: ERROR SilentConnectionError', '60804: LISTED 20(a@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=10');
  });

  it('R18 ▲: the backoff starts again only after two minutes without a failure', () => {
    const fails = (at: number): Answer =>
      respond([
        [10, added(`b@${at}`)],
        [at, errorLine(500)],
      ]);
    const { seen } = run(
      [list('10'), fails(1_000), list('11'), fails(60_000), list('12'), fails(130_000), list('13'), open],
      400_000,
    );
    expect(seen.flatMap((text) => /attempt (\d+)/.exec(text)?.[1] ?? [])).toEqual(['1', '2', '1']);
  });

  it('R18 ▲: watches that end normally and are shorter than two minutes count together', () => {
    const healthy = respond([[10, bookmark('99')]], { end: 50_000 });
    const { seen } = run([list('10'), refuse(refused), healthy, healthy, healthy, refuse(refused), open], 400_000);
    expect(seen.flatMap((text) => /attempt (\d+)/.exec(text)?.[1] ?? [])).toEqual(['1', '1']);
  });
});

describe('listWatch, when a streaming list fails', () => {
  it.each([
    ['429', refuse(statusError(429)), ['STREAM', 'STREAM']],
    ['429 in the stream', respond([[1, added('gone@1') + errorLine(429)]]), ['STREAM', 'STREAM']],
    ['connection refused', refuse(refused), ['STREAM', 'STREAM']],
    ['500', refuse(statusError(500)), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['403', refuse(statusError(403)), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['a short life', respond([], { end: 100 }), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    ['garbage', respond([[1, 'garbage\n']]), ['STREAM', 'LIST limit=500 resourceVersion=0']],
    [
      'an error in the stream',
      respond([[1, added('gone@1') + errorLine(500)]]),
      ['STREAM', 'LIST limit=500 resourceVersion=0'],
    ],
  ])('R25, R26: %s leads to %#', (_name, answer, log) => {
    const { client } = run([answer, open], 1_000, streamed);
    expect(client.log).toEqual(log);
  });

  it('R26: falls back for one cycle only (TestWatchList)', () => {
    const { client, data } = run(
      [
        refuse(statusError(500)),
        list('10'),
        respond([[1_000, errorLine(410)]]),
        respond([[1, added('b@1') + endBookmark('20')]]),
      ],
      10_000,
      streamed,
    );
    expect(client.log).toEqual([
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'STREAM resourceVersion=10',
    ]);
    expect(data.at(-1)).toMatch(/LISTED 20\(b@1\)/);
  });

  it.each([400, 405, 422])('R26 ▲: %i is remembered, and streaming not tried again', (code) => {
    const { client } = run(
      [refuse(statusError(code)), list('10'), respond([[1_000, errorLine(410)]]), list('20'), open],
      10_000,
      streamed,
    );
    expect(client.log).toEqual([
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('R26: an expired version is followed at once by a stream of the most recent', () => {
    const first = respond([
      [1, endBookmark('10')],
      [1_000, errorLine(410)],
    ]);
    const { client } = run([first, refuse(statusError(410)), respond([[1, endBookmark('20')]])], 10_000, streamed);
    expect(client.log).toEqual(['STREAM', 'STREAM resourceVersion=10', 'STREAM']);
  });

  it('R27 ▲: without an end bookmark it lists in pages after the deadline, from the last event, and remembers', () => {
    const swallowed = respond([[10_000, added('a@1')]]);
    const { client, seen } = run(
      [swallowed, list('10'), respond([[1_000, errorLine(410)]]), list('20'), open],
      100_000,
      streamed,
    );
    expect(seen.slice(0, 4)).toEqual([
      '0: <listing by stream 0>',
      '10000: <listing by stream 1>',
      '40000: ERROR BookmarkDeadlineError <listing by pages 0>',
      '40002: LISTED 10(a@1)',
    ]);
    expect(client.log.slice(1)).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
      'WATCH resourceVersion=20',
    ]);
  });

  it('reports how far it is at most once a second', () => {
    const chunks = Array.from({ length: 50 }, (_, index) => [100 + index * 100, added(`p${index}@1`)] as const);
    const { seen } = run([respond(chunks)], 5_200, streamed);
    expect(seen.length).toBeLessThanOrEqual(7);
    expect(seen).toContain('1000: <listing by stream 10>');
  });
});

describe('listWatch, when transform fails', () => {
  const failing = (name: string, times = Infinity): ((pod: Pod) => Pod) => {
    let left = times;
    return (pod) => {
      if (pod.metadata?.name === name && left-- > 0) throw new Error('no');
      return pod;
    };
  };

  it('R12 ▲, G4: in a list the object is named and missing, the others are delivered and followed, and it lists again', () => {
    const { client, seen } = run(
      [list('10', ['a', 'b']), respond([[10, modified('a@11')]]), list('11', ['a', 'b']), open],
      10_000,
      { ...paged, transform: failing('b', 1) },
    );
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '1: ERROR TransformError',
      '2: LISTED 10(a@1) without web/b',
      '2: <watching 10>',
      '12: MODIFIED(a@11)',
      '802: <listing by pages 0>',
      '804: LISTED 11(a@1 b@1)',
      '804: <watching 11>',
    ]);
    expect(client.mostInFlight).toBe(1);
  });

  it('R12 ▲: an object that fails for ever is tried less and less often', () => {
    const { client } = run(
      [
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
        list('10', ['a', 'b']),
        open,
      ],
      5_700,
      { ...paged, transform: failing('b') },
    );
    expect(client.log.filter((text) => text.startsWith('LIST'))).toHaveLength(4);
  });

  it('in a streaming list too; an object that was transformed later is not missing', () => {
    const stream = respond([
      [10, added('a@1') + added('b@2') + added('c@3')],
      [20, modified('b@4') + deleted('c@5') + endBookmark('9')],
    ]);
    const { seen } = run([stream], 500, {
      ...streamed,
      transform: (pod) => {
        if (['2', '3', '5'].includes(pod.metadata?.resourceVersion ?? '')) throw new Error('no');
        return pod;
      },
    });
    expect(seen).toEqual([
      '0: <listing by stream 0>',
      '10: ERROR TransformError ERROR TransformError',
      '20: ERROR TransformError LISTED 9(a@1 b@4) <watching 9>',
    ]);
    const missing = run([respond([[10, added('a@1') + added('b@2') + endBookmark('9')]]), open], 500, {
      ...streamed,
      transform: failing('b'),
    });
    expect(missing.data).toEqual(['10: ERROR TransformError LISTED 9(a@1) without web/b']);
  });

  it('R12 ▲: in a watch a list follows, from the version before the lost event', () => {
    const { client, data } = run(
      [
        list('10', ['a']),
        respond([[10, modified('a@11') + modified('b@12') + modified('a@13')]]),
        list('13', ['a', 'b']),
        open,
      ],
      10_000,
      { ...paged, transform: failing('b', 1) },
    );
    expect(data).toEqual(['2: LISTED 10(a@1)', '12: MODIFIED(a@11) ERROR TransformError', '814: LISTED 13(a@1 b@1)']);
    expect(client.log[2]).toBe('LIST resourceVersion=11');
  });

  it('the relist that is due survives a connection that fails meanwhile', () => {
    const { client } = run([list('10', ['a', 'b']), refuse(refused), open, list('11', ['a', 'b']), open], 10_000, {
      ...paged,
      transform: failing('b', 1),
    });
    expect(client.log.slice(0, 4)).toEqual([
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
      'WATCH resourceVersion=10',
      'LIST resourceVersion=10',
    ]);
  });

  it.each<[string, (pod: Pod) => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['an array', (pod) => [pod]],
    ['a string', () => 'pod'],
    ['another name', (pod) => ({ ...pod, metadata: { ...pod.metadata, name: 'x' } })],
    ['another namespace', (pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'x' } })],
    ['another uid', (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'x' } })],
    ['no metadata', () => ({})],
    [
      'another name, in place',
      (pod) => {
        (pod.metadata as { name: string }).name = 'x';
        return pod;
      },
    ],
  ])('a transform that gives %s has failed', (_name, transform) => {
    const { data } = run([list('10', ['a']), open], 500, { ...paged, transform: transform as (pod: Pod) => Pod });
    expect(data).toEqual(['1: ERROR TransformError', '2: LISTED 10() without web/a']);
  });
});

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
      inVirtualTime(({ scheduler }) => {
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
      inVirtualTime(({ scheduler }) => {
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

describe('listWatch', () => {
  it('is cold: each subscription has its own requests', () => {
    const client = scriptedClient([list('10'), open, list('20'), open]);
    const source = listWatch(client, pods, paged);
    expect(client.requests).toHaveLength(0);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 10(a@1)']);
    expect(dataTimeline(() => source, 10)).toEqual(['2: LISTED 20(a@1)']);
    expect(client.requests).toHaveLength(4);
  });

  it('survives a client that throws instead of answering', () => {
    const client = {
      exchange: (): Observable<never> => {
        throw new Error('broken');
      },
    };
    expect(timeline(() => listWatch(client, pods, paged), 100)[1]).toMatch(
      /^0: ERROR UnexpectedSourceError <backing-off/,
    );
  });

  it('survives a client that answers synchronously, for ever', () => {
    const synchronous: Answer = of(
      { type: 'head' as const, status: 200, headers: {} },
      { type: 'bytes' as const, bytes: encode(podList('10', ['a'])) },
    );
    const client = scriptedClient([synchronous, of({ type: 'head' as const, status: 200, headers: {} })]);
    expect(timeline(() => listWatch(client, pods, paged), 3_000).length).toBeGreaterThan(3);
    expect(client.mostInFlight).toBe(1);
  });

  it.each<[string, ListWatchOptions<Pod>]>([
    ['watchTimeout', { watchTimeout: [600, 300] }],
    ['watchTimeout', { watchTimeout: [0, 10] }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1.5 }],
    ['grace', { grace: -1 }],
    ['openTimeout', { openTimeout: NaN }],
    ['listSilence', { listSilence: 0 }],
    ['bookmarkDeadline', { bookmarkDeadline: 0 }],
  ])('throws for a senseless %s', (option, options) => {
    expect(() => listWatch(scriptedClient([]), pods, options)).toThrow(
      expect.objectContaining({ name: 'InvalidOptionError', option }),
    );
  });

  it('throws where a cluster-scoped resource is given a namespace', () => {
    const nodes = { group: '', version: 'v1', plural: 'nodes', namespaced: false };
    expect(() => listWatch(scriptedClient([]), nodes, { namespace: 'web' })).toThrow(
      expect.objectContaining({ name: 'ResourcePathError' }),
    );
  });
});
