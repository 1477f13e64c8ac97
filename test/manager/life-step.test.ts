import fc from 'fast-check';
import { initial, step, type Effect, type Input, type State } from '../../src/manager/life-step.js';

const inputs: readonly Input[] = [
  { type: 'opened' },
  { type: 'asked' },
  { type: 'asked', signal: 'SIGTERM' },
  { type: 'failed', error: new Error('failed') },
  { type: 'drained' },
  { type: 'closed' },
  { type: 'grace-over' },
];

/** What a shell sees: `drained` and `closed` come only after it was told to drain or to close. */
function live(sequence: readonly Input[]) {
  let state: State = initial;
  const effects: Effect['type'][] = [];
  const happened: Input[] = [];
  for (const input of sequence) {
    if (input.type === 'drained' && !effects.includes('drain')) continue;
    if (input.type === 'closed' && !effects.includes('close')) continue;
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects.map(({ type }) => type));
    happened.push(input);
  }
  return { state, effects, happened };
}

describe('the life of a manager', () => {
  it('starts once, closes once and ends once, in this order, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects } = live(sequence);
        const once: readonly Effect['type'][] = ['start', 'emit-stopping', 'limit', 'drain', 'abort', 'close', 'end'];
        const order: readonly Effect['type'][] = effects.filter((effect) => effect !== 'emit-failure');
        expect(order).toEqual(once.filter((effect) => order.includes(effect)));
        expect(order.includes('end')).toBe(state.phase === 'stopped');
        // What was started is asked to stop before it is closed, and nothing ends that was not closed.
        const has = (effect: Effect['type']): boolean => order.includes(effect);
        expect(has('drain')).toBe(has('start') && (has('close') || has('emit-stopping')));
        expect(has('close') || !has('end')).toBe(true);
      }),
    );
  });

  it('has exit code 1 if something failed in time, 2 if it was cut off, otherwise 0', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects, happened } = live(sequence);
        if (state.phase !== 'stopped') return;
        const failed = effects.includes('emit-failure');
        const stoppedBy = happened.findLast((_, index) => live(happened.slice(0, index)).state.phase !== 'stopped');
        const cutOff = stoppedBy?.type === 'asked' || stoppedBy?.type === 'grace-over';
        expect(state.exitCode).toBe(failed ? 1 : cutOff ? 2 : 0);
      }),
    );
  });

  it('ends at most two requests to stop after it began', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const asked: Input = { type: 'asked' };
        expect(live([...sequence, asked, asked]).state.phase).toBe('stopped');
      }),
    );
  });
});
