import { NEVER, of } from 'rxjs';
import { errorLine, podList } from '../fixtures/wire.js';
import { list, open, paged, refused, run } from './support/run-list-watch.js';
import { encode, refuse, respond, statusError, type Answer } from './support/scripted-client.js';

describe('listWatch when a list fails', () => {
  it('R4: lists the most recent version at once after a 410, once (TestReflectorExpiredExactResourceVersion)', () => {
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
      '1002: ERROR RXI_STATUS 410 <backing-off until 1802 attempt 1>',
      '1802: <listing by pages 0>',
      '1803: ERROR RXI_STATUS 410 <listing by pages 0>',
      '1805: LISTED 20(b@1)',
      '1805: <watching 20>',
    ]);
  });

  it('R4: waits after another 410, and requests the most recent version until a list succeeds', () => {
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
    'R4: recovers through the most recent version after a too large version, known %s (TestReflectorFullListIfTooLarge)',
    (_name, error) => {
      const { client } = run([list('10'), respond([[1_000, errorLine(410)]]), refuse(error), list('5'), open], 60_000);
      expect(client.log.slice(2)).toEqual(['LIST resourceVersion=10', 'LIST limit=500', 'WATCH resourceVersion=5']);
    },
  );

  it('U5: sends one list without a limit at the requested version after an expired continue token (TestReflectorFullListIfExpired)', () => {
    const page = respond([[1, podList('10', ['a'], { continue: 'next' })]], { end: 2 });
    const { client, data } = run([page, refuse(statusError(410)), list('12', ['a', 'b']), open], 1_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 continue=next',
      'LIST resourceVersion=0',
      'WATCH resourceVersion=12',
    ]);
    expect(data).toEqual(['3: ERROR RXI_STATUS 410', '5: LISTED 12(a@1 b@1)']);
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
  ])('G5, G6: has a visible state for %i (%s), and retries with growing waits', (code, state) => {
    const { client, seen } = run([refuse(statusError(code))], 10_000);
    expect(seen.filter((text) => text.includes('ERROR'))).toEqual([
      `1: ERROR RXI_STATUS ${code} <${state} until 801 attempt 1>`,
      `802: ERROR RXI_STATUS ${code} <${state} until 2402 attempt 2>`,
      `2403: ERROR RXI_STATUS ${code} <${state} until 5603 attempt 3>`,
      `5604: ERROR RXI_STATUS ${code} <${state} until 12004 attempt 4>`,
    ]);
    expect(client.requests).toHaveLength(4);
  });

  it('R18: honours Retry-After as the minimum wait', () => {
    const { client } = run([refuse(statusError(429, {}, 7_000)), list('10'), open], 7_100);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
    expect(run([refuse(statusError(429, {}, 7_000)), list('10'), open], 7_000).client.log).toHaveLength(1);
  });

  it('R18: uses a custom backoff (TestNewReflectorWithCustomBackoff); a backoff that throws does not stop it', () => {
    const waits = [10, 20, 40];
    const { seen } = run([refuse(refused)], 60, { ...paged, backoff: (attempt) => waits[attempt - 1] ?? 1_000 });
    expect(seen.flatMap((text) => /until (\d+)/.exec(text)?.[1] ?? [])).toEqual(['11', '32', '73']);
    const broken = run([refuse(refused)], 10, { ...paged, backoff: () => NaN });
    expect(broken.client.requests.length).toBeGreaterThan(5);
  });

  it('G6: aborts a list without a response or that falls silent, and tries again', () => {
    const silent = respond([
      [10, '{"kind":"PodList",'],
      [20_000, '"metadata":{"resourceVersion":"1"},'],
    ]);
    const { seen } = run([NEVER, silent, list('10'), open], 200_000);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '60000: ERROR RXI_SILENT_CONNECTION <backing-off until 60800 attempt 1>',
      '60800: <listing by pages 0>',
      '110800: ERROR RXI_SILENT_CONNECTION <backing-off until 112400 attempt 2>',
      '112400: <listing by pages 0>',
      '112402: LISTED 10(a@1)',
      '112402: <watching 10>',
    ]);
  });

  it('emits and reports a list without a resourceVersion, and lists again instead of watching', () => {
    const { client, seen } = run([respond([[1, podList(undefined, ['a'])]], { end: 2 })], 1_000);
    expect(seen).toEqual([
      '0: <listing by pages 0>',
      '2: LISTED (a@1) ERROR RXI_RESPONSE <backing-off until 802 attempt 1>',
      '802: <listing by pages 0>',
      '804: LISTED (a@1) ERROR RXI_RESPONSE <backing-off until 2404 attempt 2>',
    ]);
    expect(client.log.every((text) => text.startsWith('LIST'))).toBe(true);
  });

  it.each([
    ['HTML', '<html><body>Sign in</body></html>', 'RXI_RESPONSE'],
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
      'RXI_STATUS 403',
    ],
    [
      'a Table',
      JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, items: [] }),
      'RXI_RESPONSE',
    ],
    [
      'a document that is not a list',
      JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '4' } }),
      'RXI_RESPONSE',
    ],
    ['nothing', '', 'RXI_RESPONSE'],
    ['a truncated list', podList('10', ['a', 'b']).slice(0, -10), 'RXI_RESPONSE'],
    [
      'an item that is not an object',
      '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[5]}',
      'RXI_RESPONSE',
    ],
    [
      'an item that is not JSON',
      '{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[{"a":tru}]}',
      'RXI_DECODE',
    ],
  ])('reports %s instead of a list as an error, and tries again', (_name, text, error) => {
    const { data } = run([respond(text === '' ? [] : [[1, text]], { end: 2 }), list('10'), open], 2_000);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatch(new RegExp(`^\\d: ERROR ${error}$`));
    expect(data[1]).toMatch(/LISTED 10\(a@1\)$/);
  });

  it('reports an item that is not UTF-8 as an error, and tries again', () => {
    const [before = '', after = ''] = podList('10', ['a', 'X']).split('"X"');
    const bytes = Uint8Array.of(...encode(before), 0x22, 0xff, 0x22, ...encode(after));
    const broken: Answer = of({ type: 'head' as const, status: 200, headers: {} }, { type: 'bytes' as const, bytes });
    expect(run([broken, list('10'), open], 2_000).data).toEqual(['0: ERROR RXI_DECODE', '802: LISTED 10(a@1)']);
  });
});
