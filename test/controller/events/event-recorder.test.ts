import fc from 'fast-check';
import { deployments, pods } from 'rx-informers';
import { type EventDetails, type EventRecorder, noEvents } from 'rx-informers/controller';
import { serverFaults } from 'rx-informers/testing';
import { maxTries } from '../../../src/controller/events/write-event.js';
import { errorWith } from '../../support/error-with.js';
import { pod, recording, started, minutes, seconds } from './support/recording.js';

function partial() {
  const { metadata } = pod('a');
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}

describe('eventRecorder: events', () => {
  it('takes apiVersion and kind from a given resource, not from the object', () => {
    const { recorder, stored } = recording();
    recorder.record(partial(), { ...started, resource: pods });
    recorder.record(
      { metadata: { name: 'b', namespace: pod('b').metadata.namespace } },
      { ...started, resource: pods },
    );
    recorder.record(pod('c'), { ...started, resource: deployments, related: pod('d') });
    expect(stored().map(({ regarding }) => [regarding?.name, regarding?.apiVersion, regarding?.kind])).toEqual([
      ['a', 'v1', 'Pod'],
      ['b', 'v1', 'Pod'],
      ['c', 'apps/v1', 'Deployment'],
    ]);
    expect(stored()[2]?.related).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    expect(stored()[0]).not.toHaveProperty('resource');
  });

  it('E1: writes events about a cluster-scoped object to the namespace default', () => {
    const { recorder, stored } = recording();
    recorder.record({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: '1' } }, started);
    expect(stored()).toMatchObject([
      {
        metadata: { namespace: 'default', name: 'n.7a120' },
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'n', uid: '1' },
        reportingController: 'example.com/tests',
        reportingInstance: 'tests-0',
      },
    ]);
    expect(stored()[0]?.regarding).not.toHaveProperty('namespace');
  });

  it('E1: uses a UUID as the name if the usual name would be invalid', () => {
    const { recorder, stored } = recording();
    recorder.record(pod('NotAName'), started);
    expect(stored()[0]?.metadata.name).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('E1: assigns different names to events of the same moment', () => {
    const { recorder, stored } = recording();
    for (let index = 0; index < 20; index += 1) recorder.record(pod('a'), { ...started, reason: `Reason${index}` });
    expect(new Set(stored().map(({ metadata }) => metadata.name)).size).toBe(20);
  });

  it.each([
    ['one byte a character', 'x'.repeat(2_000)],
    ['three bytes a character', '€'.repeat(2_000)],
    ['four bytes a character', '🦀'.repeat(2_000)],
  ])('E1: truncates a note at 1024 bytes, between characters (%s)', (_, note) => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), { ...started, note });
    const cut = stored()[0]?.note ?? '';
    const length = Buffer.byteLength(cut);
    expect(note.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
    expect(cut).not.toContain('\uFFFD');
    expect([length <= 1_024, length > 1_020]).toEqual([true, true]);
  });

  it('keeps a note of 1024 bytes unchanged, and requires none', () => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), { ...started, note: 'x'.repeat(1_024) });
    recorder.record(pod('b'), { type: 'Normal', reason: 'Started', action: 'Starting' });
    expect(stored().map(({ note }) => note?.length)).toEqual([1_024, undefined]);
  });

  it('E1: reports an object that cannot be read instead of throwing, such as the draft of an edit that has ended', () => {
    const { recorder, outcomes } = recording();
    const { proxy, revoke } = Proxy.revocable(pod('a'), {});
    revoke();
    recorder.record(proxy, started);
    recorder.record(pod('a'), { ...started, related: proxy });
    const messages = outcomes.map((outcome) => outcome.type === 'dropped' && String(outcome.error));
    expect(messages).toEqual([
      expect.stringContaining('RXI_INVALID_EVENT_DETAILS: cannot record an event: an argument cannot be read'),
      expect.stringContaining(
        'RXI_INVALID_EVENT_DETAILS: cannot record an event about Pod default/a: an argument cannot be read',
      ),
    ]);
  });

  it.each<[string, unknown, unknown]>([
    ['type must be Normal or Warning, not normal', pod('a'), { ...started, type: 'normal' }],
    ['a: reason is missing', pod('a'), { ...started, reason: '' }],
    ['a: action is missing', pod('a'), { ...started, action: undefined }],
    ['reason must have at most 128 bytes, not 129', pod('a'), { ...started, reason: 'r'.repeat(129) }],
    ['action must have at most 128 bytes, not 130', pod('a'), { ...started, action: 'ä'.repeat(65) }],
    ['note must be a string', pod('a'), { ...started, note: 1 }],
    ['the details are missing', pod('a'), undefined],
    ['it is not an object', undefined, started],
    [
      'cannot record an event about default/a: the regarding object cannot be referenced: it states only that it is PartialObjectMetadata of meta.k8s.io/v1; pass { resource }',
      partial(),
      started,
    ],
    ['resource must be a resource descriptor', pod('a'), { ...started, resource: null }],
    ['it has no kind', { ...pod('a'), kind: undefined }, started],
    ['it has no apiVersion', { kind: 'Pod', name: 'a' }, started],
    ['it has no name', { ...pod('a'), metadata: null }, started],
    ['its name is not a string', { ...pod('a'), metadata: { name: 1 } }, started],
    ['the related object cannot be referenced: it has no', pod('a'), { ...started, related: {} }],
  ])('E1: reports invalid arguments instead of throwing: %s', (problem, regarding, details) => {
    const { recorder, requests, outcomes } = recording();
    recorder.record(regarding as Parameters<EventRecorder['record']>[0], details as EventDetails);
    expect(requests).toEqual([]);
    expect(outcomes).toMatchObject([
      { type: 'dropped', cause: 'invalid', error: { code: 'RXI_INVALID_EVENT_DETAILS' } },
    ]);
    expect(String(outcomes[0]?.type === 'dropped' && outcomes[0].error)).toContain(problem);
  });

  it.each([
    { reportingController: '' },
    { reportingController: 'two words' },
    { reportingInstance: '' },
    { reportingInstance: 'x'.repeat(129) },
  ])('throws at once for options with which every event would be refused: %j', (options) => {
    expect(() => recording(options)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  it("uses the controller's name as its instance by default", () => {
    const { recorder, stored } = recording({ reportingInstance: undefined });
    recorder.record(pod('a'), started);
    expect(stored()[0]?.reportingInstance).toBe('example.com/tests-80000');
  });
});

describe('eventRecorder: failures', () => {
  it('E6: tries 12 times, 10 s apart after a random first wait, if the server cannot be reached (TestWriteEventError)', () => {
    const { recorder, server, requests, lines, advance } = recording({ random: () => 0.25 });
    server.faults.always('write', serverFaults.refuse());
    recorder.record(pod('a'), started);
    advance(5 * minutes);
    const waits = Array.from({ length: 11 }, (_, index) => 2_500 + index * 10_000);
    expect(requests).toEqual([0, ...waits].map((at) => `${at} POST`));
    expect(lines.at(-1)).toBe('102500 dropped a Started 1 (retries-exhausted, 1)');
  });

  it.each([400, 401, 403, 404, 422, 500, 503])(
    'E6: drops an event that the server refuses with %i (TestWriteEventError)',
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

  it('E6: retries when the server allows it (429 with Retry-After)', () => {
    const { recorder, server, lines, advance } = recording();
    server.faults.next('write', serverFaults.respond(429, { retryAfter: 7 }));
    recorder.record(pod('a'), started);
    advance(1 * minutes);
    expect(lines).toEqual(['0 retrying a Started 1 in 7000', '7000 written a Started 1']);
  });

  it('E6: retries after five minutes at most, even if Retry-After is longer', () => {
    const { recorder, server, lines, advance } = recording();
    server.faults.next('write', serverFaults.respond(429, { retryAfter: 31 * 24 * 3_600 }));
    recorder.record(pod('a'), started);
    advance(6 * minutes);
    expect(lines).toEqual(['0 retrying a Started 1 in 300000', '300000 written a Started 1']);
  });

  it('E6: holds all events back while the server cannot be reached, and writes them afterwards', () => {
    const { recorder, server, counts, lines, advance } = recording();
    server.faults.always('write', serverFaults.refuse());
    for (let index = 0; index < 500; index += 1) recorder.record(pod(`pod-${index}`), started);
    advance(1 * minutes);
    server.faults.clear();
    advance(20 * seconds);
    expect(counts()).toHaveLength(500);
    expect(lines.filter((line) => line.includes('dropped'))).toEqual([]);
  });

  it('E1: drops and reports events while 1000 are waiting, but counts repeats; below that, nothing is lost (TestLotsOfEvents)', () => {
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

  it('logs written events, and warns about dropped ones', () => {
    const logged: string[] = [];
    const log = (level: string) => (_fields: object, message: string) => void logged.push(`${level} ${message}`);
    const logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
    const { recorder, server, advance } = recording({ logger });
    server.faults.next('write', serverFaults.refuse());
    recorder.record(pod('a'), started);
    advance(5 * seconds);
    recorder.record(pod('a'), { ...started, reason: '' });
    expect(logged).toEqual(['warn event not written; retrying', 'debug event written', 'warn event dropped']);
  });
});

describe('eventRecorder: close', () => {
  it('writes waiting events and final counts, accepts no more, and completes (TestNonRacyShutdown)', () => {
    const { recorder, server, counts, lines, timers, advance } = recording();
    server.faults.always('write', serverFaults.delay(1 * seconds));
    for (let index = 0; index < 20; index += 1) recorder.record(pod(`pod-${index}`), started);
    for (let count = 0; count < 5; count += 1) recorder.record(pod('pod-0'), started);
    const received: string[] = [];
    recorder.outcomes$.subscribe({ complete: () => received.push('outcomes$ completed') });
    recorder
      .close()
      .subscribe({ next: () => received.push('closed'), complete: () => received.push('close completed') });
    recorder.record(pod('late'), started);
    expect(lines).toEqual(['0 dropped late Started 1 (stopped, 1)']);
    advance(9 * seconds);
    expect(received).toEqual(['outcomes$ completed', 'closed', 'close completed']);
    expect(counts()).toHaveLength(20);
    expect(counts()).toContain('pod-0 Started 6');
    expect([timers(), recorder.closed]).toEqual([0, true]);
  });

  it('writes the count of an idle series', () => {
    const { recorder, counts, timers } = recording();
    for (let count = 0; count < 5; count += 1) recorder.record(pod('a'), started);
    recorder.close().subscribe();
    expect(counts()).toEqual(['a Started 5']);
    expect(timers()).toBe(0);
  });

  it.each([
    ['written', 'default', '1000 written a Started 1'],
    ['refused', 'nowhere', '1000 dropped a Started 1 (refused, 1)'],
  ])('E6: emits the outcome of the last write before the recorder is closed: %s', (_, namespace, line) => {
    const { recorder, server, lines, advance } = recording();
    server.faults.always('write', serverFaults.delay(1 * seconds));
    recorder.record(pod('a', namespace), started);
    recorder.close().subscribe();
    advance(2 * seconds);
    expect(lines).toEqual([line]);
  });

  it('stops at its deadline, and reports what was not written', () => {
    const { recorder, server, lines, timers, advance } = recording();
    server.faults.always('write', serverFaults.stall());
    for (let count = 0; count < 3; count += 1) recorder.record(pod('a'), started);
    const received: string[] = [];
    recorder.close({ deadline: 2 * seconds }).subscribe({ complete: () => received.push('closed') });
    advance(2 * seconds);
    expect(lines).toEqual(['2000 dropped a Started 3 (stopped, 3)']);
    expect(received).toEqual(['closed']);
    expect(timers()).toBe(0);
  });

  it('does nothing before it is subscribed to; unsubscribing stops the recorder; a second close completes at once', async () => {
    const { recorder, server, lines } = recording();
    const close = recorder.close();
    recorder.record(pod('a'), started);
    server.faults.always('write', serverFaults.stall());
    recorder.record(pod('b'), started);
    close.subscribe().unsubscribe();
    expect(lines).toEqual(['0 written a Started 1', '0 dropped b Started 1 (stopped, 1)']);
    await recorder.close();
    expect(() => recorder.close({ deadline: NaN })).toThrow(errorWith('RXI_INVALID_OPTION'));
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

  it('no timer exists before the first event', () => {
    expect(recording().timers()).toBe(0);
  });

  it('noEvents records nothing, and can be closed', async () => {
    noEvents.record(pod('a'), started);
    await noEvents.close();
    noEvents.unsubscribe();
    expect(noEvents.closed).toBe(true);
  });
});

const commands = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('record' as const), pod: fc.nat(3), reason: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('wait' as const), time: fc.nat(20 * 60_000) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('slow' as const), time: fc.nat(60_000) }) },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('refuse' as const), times: fc.integer({ min: 1, max: 5 }) }),
    },
  ),
  { maxLength: 60 },
);

describe('eventRecorder, with random events and failures', () => {
  it('E7: the final count on the server equals the number of recorded events, for each object and reason', () => {
    fc.assert(
      fc.property(commands, (list) => {
        const recorded = new Map<string, number>();
        const { recorder, server, advance, stored, timers } = recording();
        // All of them may meet the same event, which is dropped after so many tries (E6); what is
        // slow may be given up, and is one, too.
        let failures = maxTries - 1;
        for (const command of list) {
          switch (command.type) {
            case 'record': {
              const [name, reason] = [`pod-${command.pod}`, `Reason${command.reason}`];
              recorder.record(pod(name), { ...started, reason });
              recorded.set(`${name} ${reason}`, (recorded.get(`${name} ${reason}`) ?? 0) + 1);
              break;
            }
            case 'wait':
              advance(command.time);
              break;
            case 'slow':
              if (failures === 0) break;
              failures -= 1;
              server.faults.next('write', serverFaults.delay(command.time));
              break;
            case 'refuse': {
              const times = Math.min(command.times, failures);
              failures -= times;
              if (times > 0) server.faults.next('write', serverFaults.refuse(), { times });
              break;
            }
            default:
              command satisfies never;
          }
        }
        server.faults.clear();
        recorder.close({ deadline: 600_000 }).subscribe();
        advance(600_000);

        const counted = new Map<string, number>();
        for (const { regarding, reason, series } of stored()) {
          const key = `${regarding?.name} ${reason}`;
          counted.set(key, (counted.get(key) ?? 0) + (series?.count ?? 1));
        }
        expect(counted).toEqual(recorded);
        expect(timers()).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
