import { added, endBookmark, errorLine } from '../fixtures/wire.js';
import { list, open, refused, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, statusError } from './support/scripted-client.js';

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

  it('R27 ▲: without an end bookmark it lists in pages three seconds after the last byte, and remembers', () => {
    const swallowed = respond([[2_000, added('a@1')]]);
    const { client, seen } = run(
      [swallowed, list('10'), respond([[1_000, errorLine(410)]]), list('20'), open],
      100_000,
      streamed,
    );
    expect(seen.slice(0, 4)).toEqual([
      '0: <listing by stream 0>',
      '2000: <listing by stream 1>',
      '5000: ERROR BookmarkDeadlineError <listing by pages 0>',
      '5002: LISTED 10(a@1)',
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
