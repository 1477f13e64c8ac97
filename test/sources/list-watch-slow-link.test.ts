import { podOf } from '../fixtures/pods.js';
import { endBookmark, line } from '../fixtures/wire.js';
import { list, open, run, streamed } from './support/run-list-watch.js';
import { respond, type Answer } from './support/scripted-client.js';

const auto = { ...streamed, initialList: 'auto' as const };
const KiB = 1024;

/** An ADDED line of about this many bytes. */
const large = (number: number, bytes: number): string => {
  const pod = podOf(`pod-${String(number).padStart(5, '0')}@${number}`);
  return line('ADDED', { ...pod, metadata: { ...pod.metadata, annotations: { filler: 'x'.repeat(bytes) } } });
};

/** A streaming list over a link that delivers this many bytes at each interval, for 5 s. */
function linkOf(bytes: number, interval: number, headers: Readonly<Record<string, string>> = {}): Answer {
  const reads = Array.from(
    { length: Math.floor(5_000 / interval) },
    (_, read) => [(read + 1) * interval, large(read + 1, bytes)] as const,
  );
  return respond([...reads, [5_001, endBookmark('100000')]], { headers });
}

describe("listWatch with initialList 'auto'", () => {
  it('streams at more than 1 MiB a second', () => {
    const { client, data } = run([linkOf(60 * KiB, 50), open], 6_000, auto);
    expect(client.log).toEqual(['STREAM']);
    expect(data.at(-1)).toMatch(/^5001: LISTED 100000\(/);
  });

  it('switches to pages after a second at a lower rate, reports no error, and watches from the version of the list', () => {
    const { client, data } = run([linkOf(40 * KiB, 50), list('7'), open], 6_000, auto);
    expect(client.log).toEqual(['STREAM', 'LIST limit=500 resourceVersion=0', 'WATCH resourceVersion=7']);
    expect(data).toEqual(['1002: LISTED 7(a@1)']);
  });

  it('keeps the stream if the server compresses it', () => {
    const { client } = run([linkOf(40 * KiB, 50, { 'content-encoding': 'gzip' }), open], 6_000, auto);
    expect(client.log).toEqual(['STREAM']);
  });

  it('does not mistake pauses for a slow link, because a busy process reads large pieces', () => {
    const { client } = run([linkOf(120 * KiB, 500), open], 6_000, auto);
    expect(client.log).toEqual(['STREAM']);
  });

  it('detects a link that is slow and also pauses', () => {
    const { client } = run([linkOf(10 * KiB, 200), list('7'), open], 6_000, auto);
    expect(client.log[1]).toBe('LIST limit=500 resourceVersion=0');
  });

  it('does not list again if the stream completes within the first second', () => {
    const short = respond([
      [900, large(1, KiB)],
      [1_900, endBookmark('5')],
    ]);
    const { client, data } = run([short, open], 6_000, auto);
    expect(client.log).toEqual(['STREAM']);
    expect(data).toEqual(['1900: LISTED 5(pod-00001@1)']);
  });

  it('measures only the list, not the watch', () => {
    const reads = Array.from({ length: 100 }, (_, read) => [100 + read * 50, large(read + 10, KiB)] as const);
    const { client } = run([respond([[1, endBookmark('5')], ...reads]), open], 6_000, auto);
    expect(client.log).toEqual(['STREAM']);
  });

  it('keeps listing in pages, even if the link becomes fast', () => {
    const answers = [linkOf(40 * KiB, 50), list('7'), respond([[1, line('ERROR', { kind: 'Status', code: 410 })]])];
    const { client } = run([...answers, list('8'), open], 60_000, auto);
    expect(client.log.slice(0, 5)).toEqual([
      'STREAM',
      'LIST limit=500 resourceVersion=0',
      'WATCH resourceVersion=7',
      'LIST resourceVersion=7',
      'WATCH resourceVersion=8',
    ]);
  });

  it('measures again for a new subscription', () => {
    const slow = [linkOf(40 * KiB, 50), list('7'), open];
    expect(run(slow, 6_000, auto).client.log[0]).toBe('STREAM');
    expect(run(slow, 6_000, auto).client.log[0]).toBe('STREAM');
  });

  it("never switches with initialList 'stream'", () => {
    expect(run([linkOf(KiB, 50), open], 6_000, streamed).client.log).toEqual(['STREAM']);
  });
});
