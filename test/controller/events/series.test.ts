import type { EventObject } from 'rx-informers/controller';
import { eventsV1Events } from 'rx-informers/resources';
import { serverFaults } from 'rx-informers/testing';
import {
  type Series,
  finishAfter,
  newSeries,
  refreshAfter,
  step,
  type Input,
  type WriteEnd,
} from '../../../src/controller/events/series.js';
import { minutes, pod, recording, seconds, started } from './support/recording.js';

describe('eventRecorder: series', () => {
  it('E7: creates the first event, patches it on the first repeat, and then only counts (TestEventSeriesf)', () => {
    const { recorder, requests, stored, advance } = recording();
    recorder.record(pod('a'), started);
    advance(1 * seconds);
    recorder.record(pod('a'), started);
    for (let repeat = 0; repeat < 100; repeat += 1) {
      advance(1 * seconds);
      recorder.record(pod('a'), started);
    }
    expect(requests).toEqual(['0 POST', '1000 PATCH']);
    expect(stored()).toHaveLength(1);
    expect(stored()[0]).toMatchObject({
      metadata: { namespace: 'default' },
      eventTime: '1970-01-01T00:00:00.000000Z',
      series: { count: 2, lastObservedTime: '1970-01-01T00:00:01.000000Z' },
    });
  });

  it.each([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'Other' }],
    ['action', { action: 'Other' }],
    ['related object', { related: pod('b') }],
  ] as const)('E7: an event with another %s is not a repeat', (_, other) => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), started);
    recorder.record(pod('a'), { ...started, ...other });
    expect(stored()).toHaveLength(2);
  });

  it.each([
    ['name', pod('b')],
    ['namespace', pod('a', 'kube-system')],
    ['uid', { ...pod('a'), metadata: { ...pod('a').metadata, uid: 'another' } }],
    ['kind', { ...pod('a'), kind: 'PodTemplate' }],
    ['part', { apiVersion: 'v1', kind: 'Pod', ...pod('a').metadata, fieldPath: 'spec.containers{main}' }],
  ])('E7: an event about an object with another %s is not a repeat', (_, regarding) => {
    const { recorder, stored } = recording();
    recorder.record(pod('a'), started);
    recorder.record(regarding, started);
    expect(stored()).toHaveLength(2);
  });

  it('E7: an event with another note, or about another version of the object, is a repeat (▲)', () => {
    const { recorder, stored } = recording();
    const version = (resourceVersion: string) => ({ ...pod('a'), metadata: { ...pod('a').metadata, resourceVersion } });
    recorder.record(version('1'), started);
    recorder.record(version('2'), { ...started, note: 'it runs again' });
    expect(stored()).toMatchObject([{ note: 'it runs', regarding: { resourceVersion: '1' }, series: { count: 2 } }]);
  });

  it('E7: writes the final count after 6 idle minutes and forgets the series; the next event is a new one (TestFinishSeries)', () => {
    const { recorder, requests, counts, advance, timers } = recording();
    for (let count = 0; count < 5; count += 1) recorder.record(pod('a'), started);
    expect(counts()).toEqual(['a Started 2']);
    advance(6 * minutes - 1);
    expect(requests).toHaveLength(2);
    advance(1);
    expect(requests).toEqual(['0 POST', '0 PATCH', '360000 PATCH']);
    expect(counts()).toEqual(['a Started 5']);
    expect(timers()).toBe(0);
    recorder.record(pod('a'), started);
    expect(counts()).toEqual(['a Started 1', 'a Started 5']);
  });

  it('E7: forgets an event without repeats after 6 minutes, without a request (TestFinishSeries)', () => {
    const { recorder, requests, counts, advance, timers } = recording();
    recorder.record(pod('a'), started);
    advance(6 * minutes);
    expect(timers()).toBe(0);
    recorder.record(pod('a'), started);
    expect(requests).toEqual(['0 POST', '360000 POST']);
    expect(counts()).toEqual(['a Started 1', 'a Started 1']);
  });

  it('E7: writes the count of a continuing series every 30 minutes (TestRefreshExistingEventSeries)', () => {
    const { recorder, requests, counts, advance } = recording();
    for (let minute = 0; minute < 70; minute += 1) {
      recorder.record(pod('a'), started);
      advance(1 * minutes);
    }
    expect(requests).toEqual(['0 POST', '60000 PATCH', `${31 * minutes} PATCH`, `${61 * minutes} PATCH`]);
    expect(counts()).toEqual(['a Started 61']);
  });

  it('E7: sends no second write while one is in progress; events recorded meanwhile follow it (TestEventSeriesWithEventSinkImplRace)', () => {
    const { recorder, server, requests, counts, advance } = recording();
    server.faults.next('write', serverFaults.delay(1 * seconds));
    for (let count = 0; count < 3; count += 1) recorder.record(pod('a'), started);
    expect(requests).toEqual(['0 POST']);
    advance(1 * seconds);
    expect(requests).toEqual(['0 POST', '1000 PATCH']);
    expect(counts()).toEqual(['a Started 3']);
  });

  it('E7: activity during the final write keeps the series alive (TestFinishSeries)', () => {
    const { recorder, server, requests, counts, advance } = recording();
    for (let count = 0; count < 3; count += 1) recorder.record(pod('a'), started);
    server.faults.next('write', serverFaults.delay(2 * seconds));
    advance(6 * minutes + 1 * seconds);
    recorder.record(pod('a'), started);
    advance(1 * seconds);
    expect(counts()).toEqual(['a Started 3']);
    recorder.record(pod('a'), started);
    advance(6 * minutes);
    expect(requests).toEqual(['0 POST', '0 PATCH', '360000 PATCH', '722000 PATCH']);
    expect(counts()).toEqual(['a Started 5']);
  });

  it('E4, E7: creates the series again if its event has expired (TestUpdateExpiredEvent)', () => {
    const { recorder, server, requests, stored, counts } = recording();
    recorder.record(pod('a'), started);
    const name = stored()[0]?.metadata.name ?? '';
    server.remove(eventsV1Events, name, 'default');
    recorder.record(pod('a'), started);
    expect(requests).toEqual(['0 POST', '0 PATCH', '0 POST']);
    expect(counts()).toEqual(['a Started 2']);
    expect(stored()[0]?.metadata.name).toBe(name);
  });

  it('E7: retries with a patch after AlreadyExists for a series (TestEventSeriesWithEventSinkImplRace)', () => {
    const { recorder, server, lines, requests, counts, advance } = recording();
    recorder.record(pod('a'), started);
    server.faults.next('write', serverFaults.respond(404));
    recorder.record(pod('a'), started);
    expect(lines.slice(1)).toEqual(['0 retrying a Started 2 in 5000']);
    advance(5 * seconds);
    expect(requests).toEqual(['0 POST', '0 PATCH', '0 POST', '5000 PATCH']);
    expect(counts()).toEqual(['a Started 2']);
  });

  it('E7: creates an event with its count if it was repeated before it was written', () => {
    const { recorder, server, requests, counts, advance } = recording();
    server.faults.next('write', serverFaults.delay(1 * seconds), { times: 8 });
    for (let other = 0; other < 8; other += 1) recorder.record(pod(`other-${other}`), started);
    for (let count = 0; count < 3; count += 1) recorder.record(pod('a'), started);
    advance(1 * seconds);
    expect(requests.slice(8)).toEqual(['1000 POST']);
    expect(counts()).toContain('a Started 3');
  });

  it('E7: has at most 8 writes in progress', () => {
    const { recorder, server, requests, advance } = recording();
    server.faults.always('write', serverFaults.delay(1 * seconds));
    for (let index = 0; index < 20; index += 1) recorder.record(pod(`pod-${index}`), started);
    expect(requests).toHaveLength(8);
    advance(1 * seconds);
    expect(requests).toHaveLength(16);
    advance(1 * seconds);
    expect(requests).toHaveLength(20);
  });

  it('loses no occurrence while writes fail: the next write carries the count', () => {
    const { recorder, server, lines, counts, advance } = recording();
    recorder.record(pod('a'), started);
    server.faults.next('write', serverFaults.respond(500));
    recorder.record(pod('a'), started);
    recorder.record(pod('a'), started);
    expect(lines).toEqual(['0 written a Started 1', '0 dropped a Started 2 (refused, 1)']);
    advance(6 * minutes);
    expect(counts()).toEqual(['a Started 3']);
  });

  it('does not create a second event if a response was lost', () => {
    const { recorder, server, lines, counts, advance } = recording();
    server.faults.next('write', {
      name: 'lost answer',
      intercept: (request, next, context) => {
        next(request).subscribe();
        return serverFaults.refuse().intercept(request, next, context);
      },
    });
    recorder.record(pod('a'), started);
    advance(5 * seconds);
    expect(lines).toEqual(['0 retrying a Started 1 in 5000', '5000 written a Started 1']);
    expect(counts()).toEqual(['a Started 1']);
  });

  it('gives up a write without a response after 30 seconds, and tries again', () => {
    const { recorder, server, requests, counts, advance } = recording();
    server.faults.next('write', serverFaults.stall());
    recorder.record(pod('a'), started);
    advance(35 * seconds);
    expect(requests).toEqual(['0 POST', '35000 POST']);
    expect(counts()).toEqual(['a Started 1']);
  });
});

const event = { metadata: { namespace: 'default', name: 'a' } } as EventObject;

const first = step(newSeries(event, 0), { type: 'observed', at: 0, hasRoom: true }).state;

const end = (count: number, isWritten: boolean): WriteEnd =>
  isWritten ? { isWritten, event, count } : { isWritten, event, count, cause: 'refused', error: 'no' };

const resting = (changes: Partial<Series>): Series => ({
  ...first,
  tried: 2,
  written: 2,
  phase: 'resting',
  ...changes,
});

describe('the state machine of an event series', () => {
  it('E7: begins with a write that is due', () => {
    expect(step(newSeries(event, 7), { type: 'observed', at: 7, hasRoom: true })).toMatchObject({
      state: { count: 1, lastObservedAt: 7, phase: 'due' },
      effects: [{ type: 'enqueue' }],
    });
  });

  const observed = { type: 'observed', at: 1, hasRoom: true } as const;
  it.each<[string, Series, Input, string]>([
    ['its turn: written', first, { type: 'turn', at: 0 }, 'write'],
    ['a repeat while it is due: counted', first, observed, 'none'],
    ['the first repeat: enqueued', resting({ count: 1, tried: 1 }), observed, 'enqueue'],
    [
      'the first repeat while 8 writes are in progress: counted',
      resting({ count: 1, tried: 1 }),
      { ...observed, hasRoom: false },
      'none',
    ],
    ['a further repeat: counted', resting({ count: 2 }), observed, 'none'],
    ['a repeat when a refresh is due: enqueued', resting({ count: 2 }), { ...observed, at: refreshAfter }, 'enqueue'],
    ['idle with counts: written', resting({ count: 3 }), { type: 'turn', at: finishAfter }, 'write'],
    ['idle without counts: forgotten', resting({ count: 2 }), { type: 'turn', at: finishAfter }, 'forget'],
    ['not idle yet: waits', resting({ count: 3, lastObservedAt: 1 }), { type: 'turn', at: finishAfter }, 'wait'],
    ['closing with counts: enqueued', resting({ count: 3 }), { type: 'closing' }, 'enqueue'],
    ['closing without counts: forgotten', resting({ count: 2 }), { type: 'closing' }, 'forget'],
    ['closing while it is being written: continues', { ...first, phase: 'writing' }, { type: 'closing' }, 'none'],
  ])('E7: a step of a series: %s', (_, series, input, effect) => {
    expect(step(series, input).effects.map(({ type }) => type)).toEqual(effect === 'none' ? [] : [effect]);
  });

  it('E7: an event recorded during the first write is written at once, later ones are not', () => {
    const writing: Series = { ...first, count: 3, phase: 'writing' };
    const ended = step(writing, { type: 'write-ended', at: 1, end: end(1, true) });
    expect(ended).toMatchObject({ state: { tried: 1, written: 1 }, effects: [{ type: 'tell' }, { type: 'write' }] });
    const again = step({ ...ended.state, count: 4 }, { type: 'write-ended', at: 2, end: end(3, false) });
    expect(again).toMatchObject({
      state: { tried: 3, written: 1, phase: 'resting' },
      effects: [{ type: 'tell' }, { type: 'wait' }],
    });
  });

  it('a step modifies neither the state nor the input', () => {
    const series = resting({ count: 1, tried: 1 });
    const input = { ...observed };
    const values = structuredClone({ series, input });
    const after = step(series, input).state;
    expect({ series, input }).toEqual(values);
    expect(after).toMatchObject({ count: 2, lastObservedAt: 1 });
  });
});
