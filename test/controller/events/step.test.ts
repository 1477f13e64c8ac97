import type { EventObject } from 'rx-informers/controller';
import {
  type Series,
  finishAfter,
  newSeries,
  refreshAfter,
  step,
  type Input,
  type WriteEnd,
} from '../../../src/controller/events/series.js';

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

describe('the life of a series', () => {
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
      'the first repeat without room: counted',
      resting({ count: 1, tried: 1 }),
      { ...observed, hasRoom: false },
      'none',
    ],
    ['a further repeat: counted', resting({ count: 2 }), observed, 'none'],
    [
      'a repeat when it is to be refreshed: enqueued',
      resting({ count: 2 }),
      { ...observed, at: refreshAfter },
      'enqueue',
    ],
    ['idle with counts: written', resting({ count: 3 }), { type: 'turn', at: finishAfter }, 'write'],
    ['idle without counts: forgotten', resting({ count: 2 }), { type: 'turn', at: finishAfter }, 'forget'],
    ['not idle yet: waits', resting({ count: 3, lastObservedAt: 1 }), { type: 'turn', at: finishAfter }, 'wait'],
    ['closing with counts: enqueued', resting({ count: 3 }), { type: 'closing' }, 'enqueue'],
    ['closing without counts: forgotten', resting({ count: 2 }), { type: 'closing' }, 'forget'],
    ['closing while it is written: goes on', { ...first, phase: 'writing' }, { type: 'closing' }, 'none'],
  ])('E7: a step of a series: %s', (_, series, input, effect) => {
    expect(step(series, input).effects.map(({ type }) => type)).toEqual(effect === 'none' ? [] : [effect]);
  });

  it('E7: what was recorded while the first was written is written at once; a further write is not', () => {
    const writing: Series = { ...first, count: 3, phase: 'writing' };
    const ended = step(writing, { type: 'write-ended', at: 1, end: end(1, true) });
    expect(ended).toMatchObject({ state: { tried: 1, written: 1 }, effects: [{ type: 'tell' }, { type: 'write' }] });
    const again = step({ ...ended.state, count: 4 }, { type: 'write-ended', at: 2, end: end(3, false) });
    expect(again).toMatchObject({
      state: { tried: 3, written: 1, phase: 'resting' },
      effects: [{ type: 'tell' }, { type: 'wait' }],
    });
  });

  it('the step of a series changes neither the series nor the input that it was given', () => {
    const series = resting({ count: 1, tried: 1 });
    const input = { ...observed };
    const given = structuredClone({ series, input });
    const after = step(series, input).state;
    expect({ series, input }).toEqual(given);
    expect(after).toMatchObject({ count: 2, lastObservedAt: 1 });
  });
});
