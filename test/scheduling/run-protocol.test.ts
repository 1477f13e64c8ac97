import fc from 'fast-check';
import { TestScheduler } from 'rxjs/testing';
import { Alarm } from '../../src/scheduling/clock.js';
import { runProtocol, type Protocol, type ProtocolRun } from '../../src/scheduling/run-protocol.js';
import { takeToken, tokenWait } from '../../src/sources/model/backoff.js';

type Input = 'a' | 'b' | 'c' | 'alarm';

type Effect = (run: ProtocolRun<readonly Input[], Input>) => void;

/** A protocol that records its inputs, with the effects of each input. */
function script(
  effects: Partial<Record<Input, readonly Effect[]>>,
  more: Partial<Protocol<readonly Input[], Input, Effect>> = {},
) {
  const scheduler = new TestScheduler(() => undefined);
  scheduler.maxFrames = Infinity;
  const run: ProtocolRun<readonly Input[], Input> = runProtocol<readonly Input[], Input, Effect>({
    initial: [],
    step: (state, input) => ({ state: [...state, input], effects: effects[input] ?? [] }),
    carryOut: (effect) => {
      effect(run);
    },
    scheduler,
    ...more,
  });
  return { run, scheduler };
}

describe('runProtocol: inputs and effects', () => {
  it('runs the effects of an input in order, after the state has changed', () => {
    const seen: string[] = [];
    const { run } = script({
      a: [({ state }) => seen.push(`1 after ${state.join('')}`), ({ state }) => seen.push(`2 after ${state.join('')}`)],
    });
    run.feed('a');
    expect(seen).toEqual(['1 after a', '2 after a']);
  });

  it('queues an input of an effect until the previous effects have run', () => {
    const seen: string[] = [];
    const { run } = script({
      a: [({ feed }) => feed('b'), ({ feed }) => feed('c'), ({ state }) => seen.push(`a: ${state.join('')}`)],
      b: [({ state }) => seen.push(`b: ${state.join('')}`)],
      c: [({ state }) => seen.push(`c: ${state.join('')}`)],
    });
    run.feed('a');
    expect(seen).toEqual(['a: a', 'b: ab', 'c: abc']);
  });

  it('does not recurse, however many inputs effects cause one after the other', () => {
    let left = 100_000;
    const again: Effect = ({ feed }) => {
      if (left > 0) feed('a');
    };
    const { run } = script(
      {},
      {
        step: (state) => {
          left -= 1;
          return { state, effects: [again] };
        },
      },
    );
    run.feed('a');
    expect(left).toBe(0);
  });

  it('processes such an input at once in a nested protocol', () => {
    const seen: string[] = [];
    const { run } = script(
      {
        a: [({ feed }) => feed('b'), ({ state }) => seen.push(`a: ${state.join('')}`)],
        b: [({ state }) => seen.push(`b: ${state.join('')}`)],
      },
      { isNested: true },
    );
    run.feed('a');
    expect(seen).toEqual(['b: ab', 'a: ab']);
  });

  it('runs no effect and makes no step after an effect has unsubscribed it', () => {
    const seen: string[] = [];
    const { run } = script({
      a: [({ feed }) => feed('b'), (own) => own.unsubscribe(), () => seen.push('an effect after the end')],
      b: [() => seen.push('an effect of a waiting input')],
    });
    run.feed('a');
    run.feed('c');
    expect(seen).toEqual([]);
    expect(run.state).toEqual(['a']);
  });

  it('skips the other effects of a step if one throws, processes queued inputs, and then throws that error', () => {
    const seen: string[] = [];
    const broken = (): never => {
      throw new Error('broken');
    };
    const { run } = script({
      a: [({ feed }) => feed('b'), broken, () => seen.push('skipped')],
      b: [() => seen.push('b')],
    });
    expect(() => run.feed('a')).toThrow('broken');
    expect(seen).toEqual(['b']);
    run.feed('b');
    expect(seen).toEqual(['b', 'b']);
  });

  it('passes an error of an effect to onError, if there is one', () => {
    const errors: unknown[] = [];
    const { run } = script(
      {
        a: [
          () => {
            throw new Error('broken');
          },
        ],
      },
      { onError: (error) => errors.push(error) },
    );
    run.feed('a');
    run.feed('b');
    expect(errors).toEqual([new Error('broken')]);
    expect(run.state).toEqual(['a', 'b']);
  });
});

/** Rings `after` milliseconds after the last `a`, and never after `b`. */
function ringing(after: number, effects: Partial<Record<Input, readonly Effect[]>> = {}) {
  const rings: number[] = [];
  const at = { a: Infinity };
  const { run, scheduler } = script(effects, {
    step: (state, input) => {
      at.a = input === 'a' ? scheduler.now() + after : Infinity;
      if (input === 'alarm') rings.push(scheduler.now());
      return { state: [...state, input], effects: effects[input] ?? [] };
    },
    alarm: () => ({ at: at.a, input: 'alarm' }),
  });
  const feedAt = (time: number, input: Input): void => {
    scheduler.schedule(() => run.feed(input), time);
  };
  return { run, scheduler, rings, feedAt };
}

describe('runProtocol: the alarm', () => {
  it('sends its input at the time of the state', () => {
    const { scheduler, rings, feedAt } = ringing(50);
    feedAt(10, 'a');
    scheduler.flush();
    expect(rings).toEqual([60]);
  });

  it('is one timer: a later time replaces the earlier one', () => {
    const { scheduler, rings, feedAt } = ringing(50);
    for (const time of [0, 10, 20, 100]) feedAt(time, 'a');
    scheduler.flush();
    expect(rings).toEqual([70, 150]);
  });

  it('leaves no timer when the state needs none, and when the run is unsubscribed from', () => {
    for (const end of ['b', 'unsubscribe'] as const) {
      const { run, scheduler, rings, feedAt } = ringing(50);
      feedAt(0, 'a');
      scheduler.schedule(() => (end === 'b' ? run.feed('b') : run.unsubscribe()), 10);
      scheduler.flush();
      expect(rings).toEqual([]);
      expect(scheduler.now()).toBe(10);
    }
  });

  it('is set from the beginning if the initial state has one', () => {
    const scheduler = new TestScheduler(() => undefined);
    const inputs: string[] = [];
    runProtocol<'waiting' | 'over', 'due', never>({
      initial: 'waiting',
      step: (_, input) => {
        inputs.push(`${input} at ${scheduler.now()}`);
        return { state: 'over', effects: [] };
      },
      carryOut: () => undefined,
      alarm: (state) => (state === 'waiting' ? { at: 30, input: 'due' } : undefined),
      scheduler,
    });
    scheduler.flush();
    expect(inputs).toEqual(['due at 30']);
  });

  it('is set again for the later state if it fires during effects', () => {
    for (const moved of [30, 70]) {
      const scheduler = new TestScheduler(() => undefined);
      const rings: number[] = [];
      const run = runProtocol<number, 'move' | 'block' | 'alarm', 'flush'>({
        initial: 30,
        step: (state, input) => {
          if (input === 'alarm') rings.push(scheduler.now());
          return {
            state: { move: moved, block: state, alarm: Infinity }[input],
            effects: input === 'block' ? ['flush'] : [],
          };
        },
        carryOut: () => {
          scheduler.schedule(() => run.feed('move'), 40);
          scheduler.flush();
        },
        alarm: (at) => ({ at, input: 'alarm' }),
        scheduler,
      });
      run.feed('block');
      expect(rings).toEqual([]);
      scheduler.flush();
      expect(rings).toEqual([Math.max(40, moved)]);
    }
  });
});

describe('Alarm', () => {
  it('W5: reads the clock again after each heartbeat, so it is late by at most that', () => {
    const scheduler = new TestScheduler(() => undefined);
    scheduler.maxFrames = Infinity;
    let slept = 0;
    const clock = {
      now: () => scheduler.now() + slept,
      schedule: scheduler.schedule.bind(scheduler),
    };
    const rings: number[] = [];
    const alarm = new Alarm(() => rings.push(scheduler.now()), clock, 10_000);
    alarm.set(3_600_000);
    scheduler.schedule(() => (slept = 7_200_000), 15_000);
    scheduler.flush();
    expect(rings).toEqual([20_000]);
  });
});

describe('the token bucket', () => {
  it('agrees with a naive bucket with a level', () => {
    const setup = fc.record({ interval: fc.integer({ min: 0, max: 50 }), burst: fc.integer({ min: 1, max: 5 }) });
    const pauses = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 40 });
    fc.assert(
      fc.property(setup, pauses, (rate, gaps) => {
        const { interval, burst } = rate;
        let fullAt = -Infinity;
        let now = 0;
        // In milliseconds: a token is worth `interval`. Below 0, tokens are reserved.
        let level = burst * interval;
        for (const gap of gaps) {
          now += gap;
          level = Math.min(burst * interval, level + gap);
          expect(tokenWait(fullAt, now, rate)).toBe(Math.max(0, interval - level));
          fullAt = takeToken(fullAt, now, rate);
          level -= interval;
        }
      }),
    );
  });
});
