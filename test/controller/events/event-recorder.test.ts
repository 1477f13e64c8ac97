import { noEvents } from 'rx-informers/controller';
import { serverFaults } from 'rx-informers/testing';
import { minutes, pod, recording, seconds, started } from './support/recording.js';

describe('eventRecorder: failures', () => {
  it('E6: tries 12 times, 10 s apart and the first wait at random, where the server cannot be reached (TestWriteEventError)', () => {
    const { recorder, server, requests, lines, advance } = recording({ random: () => 0.25 });
    server.faults.always('write', serverFaults.refuse());
    recorder.record(pod('a'), started);
    advance(5 * minutes);
    const waits = Array.from({ length: 11 }, (_, index) => 2_500 + index * 10_000);
    expect(requests).toEqual([0, ...waits].map((at) => `${at} POST`));
    expect(lines.at(-1)).toBe('102500 dropped a Started 1 (retries-exhausted, 1)');
  });

  it.each([400, 401, 403, 404, 422, 500, 503])(
    'E6: drops what the server answers with %i (TestWriteEventError)',
    (code) => {
      const { recorder, server, requests, outcomes, advance } = recording();
      server.faults.next('write', serverFaults.respond(code));
      recorder.record(pod('a'), started);
      advance(1 * minutes);
      expect(requests).toHaveLength(1);
      expect(outcomes).toMatchObject([
        { type: 'dropped', cause: 'refused', occurrences: 1, error: { statusCode: code } },
      ]);
    },
  );

  it('E6: comes back when the server says so (429 with Retry-After)', () => {
    const { recorder, server, lines, advance } = recording();
    server.faults.next('write', serverFaults.respond(429, { retryAfter: 7 }));
    recorder.record(pod('a'), started);
    advance(1 * minutes);
    expect(lines).toEqual(['0 retrying a Started 1 in 7000', '7000 written a Started 1']);
  });

  it('E6: comes back after five minutes at the latest, whatever Retry-After says', () => {
    const { recorder, server, lines, advance } = recording();
    server.faults.next('write', serverFaults.respond(429, { retryAfter: 31 * 24 * 3_600 }));
    recorder.record(pod('a'), started);
    advance(6 * minutes);
    expect(lines).toEqual(['0 retrying a Started 1 in 300000', '300000 written a Started 1']);
  });

  it('E6: holds everything back while the server cannot be reached, and writes it afterwards', () => {
    const { recorder, server, counts, lines, advance } = recording();
    server.faults.always('write', serverFaults.refuse());
    for (let index = 0; index < 500; index += 1) recorder.record(pod(`pod-${index}`), started);
    advance(1 * minutes);
    server.faults.clear();
    advance(20 * seconds);
    expect(counts()).toHaveLength(500);
    expect(lines.filter((line) => line.includes('dropped'))).toEqual([]);
  });

  it('E1: drops and reports events while 1000 wait, but counts repeats; nothing is lost below that (TestLotsOfEvents)', () => {
    const { recorder, server, counts, lines, advance } = recording();
    server.faults.always('write', serverFaults.delay(10));
    for (let index = 0; index < 1_010; index += 1) recorder.record(pod(`pod-${index}`), started);
    recorder.record(pod('pod-0'), started);
    expect(lines).toEqual([
      '0 dropped pod-1008 Started 1 (queue-full, 1)',
      '0 dropped pod-1009 Started 1 (queue-full, 1)',
    ]);
    advance(10 * seconds);
    expect(counts()).toHaveLength(1_008);
    expect(counts()).toContain('pod-0 Started 2');
  });

  it('E5: with the spam filter, 25 different events about one object, and then one every 5 minutes; repeats are free', () => {
    const { recorder, counts, lines, advance } = recording({ spamFilter: {} });
    const record = (index: number, name = 'a'): void => {
      recorder.record(pod(name), { ...started, reason: `Reason${index}` });
    };
    for (let index = 0; index < 27; index += 1) record(index);
    record(0);
    record(0, 'b');
    expect(counts()).toHaveLength(26);
    expect(counts()).toContain('a Reason0 2');
    expect(lines.filter((line) => line.includes('spam'))).toEqual([
      '0 dropped a Reason25 1 (spam, 1)',
      '0 dropped a Reason26 1 (spam, 1)',
    ]);
    advance(5 * minutes);
    record(28);
    record(29);
    expect(counts()).toContain('a Reason28 1');
    expect(counts()).not.toContain('a Reason29 1');
  });

  it('logs what is written, and warns of what is not', () => {
    const logged: string[] = [];
    const log = (level: string) => (_fields: object, message: string) => void logged.push(`${level} ${message}`);
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const { recorder, server, advance } = recording({ logger });
    server.faults.next('write', serverFaults.refuse());
    recorder.record(pod('a'), started);
    advance(5 * seconds);
    recorder.record(pod('a'), { ...started, reason: '' });
    expect(logged).toEqual(['warn event not written; will be retried', 'debug event written', 'warn event dropped']);
  });
});

describe('eventRecorder: its end', () => {
  it('close writes what waits and the final counts, takes nothing more, and completes (TestNonRacyShutdown)', () => {
    const { recorder, server, counts, lines, timers, advance } = recording();
    server.faults.always('write', serverFaults.delay(1 * seconds));
    for (let index = 0; index < 20; index += 1) recorder.record(pod(`pod-${index}`), started);
    for (let count = 0; count < 5; count += 1) recorder.record(pod('pod-0'), started);
    const told: string[] = [];
    recorder.outcomes$.subscribe({ complete: () => told.push('outcomes$ completed') });
    recorder.close().subscribe({ next: () => told.push('closed'), complete: () => told.push('close completed') });
    recorder.record(pod('late'), started);
    expect(lines).toEqual(['0 dropped late Started 1 (stopped, 1)']);
    advance(9 * seconds);
    expect(told).toEqual(['outcomes$ completed', 'closed', 'close completed']);
    expect(counts()).toHaveLength(20);
    expect(counts()).toContain('pod-0 Started 6');
    expect([timers(), recorder.closed]).toEqual([0, true]);
  });

  it('close writes the count of a series that rests', () => {
    const { recorder, counts, timers } = recording();
    for (let count = 0; count < 5; count += 1) recorder.record(pod('a'), started);
    recorder.close().subscribe();
    expect(counts()).toEqual(['a Started 5']);
    expect(timers()).toBe(0);
  });

  it.each([
    ['written', 'default', '1000 written a Started 1'],
    ['refused', 'nowhere', '1000 dropped a Started 1 (refused, 1)'],
  ])('E6: the outcome of the last write before the recorder is closed is emitted: %s', (_, namespace, line) => {
    const { recorder, server, lines, advance } = recording();
    server.faults.always('write', serverFaults.delay(1 * seconds));
    recorder.record(pod('a', namespace), started);
    recorder.close().subscribe();
    advance(2 * seconds);
    expect(lines).toEqual([line]);
  });

  it('close stops at its deadline, and reports what is not written', () => {
    const { recorder, server, lines, timers, advance } = recording();
    server.faults.always('write', serverFaults.stall());
    for (let count = 0; count < 3; count += 1) recorder.record(pod('a'), started);
    const told: string[] = [];
    recorder.close({ deadline: 2 * seconds }).subscribe({ complete: () => told.push('closed') });
    advance(2 * seconds);
    expect(lines).toEqual(['2000 dropped a Started 3 (stopped, 3)']);
    expect(told).toEqual(['closed']);
    expect(timers()).toBe(0);
  });

  it('close does nothing before it is subscribed to; unsubscribing from it stops the recorder; a second one ends at once', async () => {
    const { recorder, server, lines } = recording();
    const close = recorder.close();
    recorder.record(pod('a'), started);
    server.faults.always('write', serverFaults.stall());
    recorder.record(pod('b'), started);
    close.subscribe().unsubscribe();
    expect(lines).toEqual(['0 written a Started 1', '0 dropped b Started 1 (stopped, 1)']);
    await recorder.close();
    expect(() => recorder.close({ deadline: NaN })).toThrow(RangeError);
  });

  it('unsubscribe aborts writes and waits, and leaves no timer', () => {
    const { recorder, server, requests, lines, timers, advance } = recording();
    recorder.record(pod('a'), started);
    server.faults.next('write', serverFaults.refuse());
    recorder.record(pod('b'), started);
    server.faults.next('write', serverFaults.stall());
    recorder.record(pod('c'), started);
    recorder.unsubscribe();
    recorder.unsubscribe();
    expect(timers()).toBe(0);
    advance(1 * minutes);
    expect(requests).toHaveLength(3);
    expect(lines.slice(2)).toEqual(['0 dropped b Started 1 (stopped, 1)', '0 dropped c Started 1 (stopped, 1)']);
    recorder.record(pod('d'), started);
    expect(requests).toHaveLength(3);
  });

  it('there is no timer before the first event', () => {
    expect(recording().timers()).toBe(0);
  });

  it('noEvents records nothing, and can be closed', async () => {
    noEvents.record(pod('a'), started);
    await noEvents.close();
    noEvents.unsubscribe();
    expect(noEvents.closed).toBe(true);
  });
});
