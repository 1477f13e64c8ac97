import fc from 'fast-check';
import { initialLife, lifeStep, type LifeEffect, type LifeInput, type LifeState } from '../../src/manager/life-step.js';

const inputs: readonly LifeInput[] = [
  { type: 'opened' },
  { type: 'asked' },
  { type: 'asked', signal: 'SIGTERM' },
  { type: 'failed', error: new Error('failed') },
  { type: 'drained' },
  { type: 'closed' },
  { type: 'grace-over' },
];

/** What a shell sees: `drained` and `closed` come only after it was told to drain or to close. */
function live(sequence: readonly LifeInput[]) {
  let state: LifeState = initialLife;
  const effects: LifeEffect[] = [];
  const happened: LifeInput[] = [];
  for (const input of sequence) {
    if (input.type === 'drained' && !effects.includes('drain')) continue;
    if (input.type === 'closed' && !effects.includes('close')) continue;
    const step = lifeStep(state, input);
    state = step.state;
    effects.push(...step.effects);
    happened.push(input);
  }
  return { state, effects, happened };
}

describe('the life of a manager', () => {
  it('starts once, closes once and ends once, in this order, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects } = live(sequence);
        const once: readonly LifeEffect[] = ['start', 'tell-stopping', 'limit', 'drain', 'abort', 'close', 'end'];
        const order: readonly LifeEffect[] = effects.filter((effect) => effect !== 'tell-failure');
        expect(order).toEqual(once.filter((effect) => order.includes(effect)));
        expect(order.includes('end')).toBe(state.phase === 'stopped');
        // What was started is asked to stop before it is closed, and nothing ends that was not closed.
        const has = (effect: LifeEffect): boolean => order.includes(effect);
        expect(has('drain')).toBe(has('start') && (has('close') || has('tell-stopping')));
        expect(has('close') || !has('end')).toBe(true);
      }),
    );
  });

  it('has exit code 1 if something failed in time, 2 if it was cut off, otherwise 0', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects, happened } = live(sequence);
        if (state.phase !== 'stopped') return;
        const failed = effects.includes('tell-failure');
        const stoppedBy = happened.findLast((_, index) => live(happened.slice(0, index)).state.phase !== 'stopped');
        const cutOff = stoppedBy?.type === 'asked' || stoppedBy?.type === 'grace-over';
        expect(state.exitCode).toBe(failed ? 1 : cutOff ? 2 : 0);
      }),
    );
  });

  it('ends at most two requests to stop after it began', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const asked: LifeInput = { type: 'asked' };
        expect(live([...sequence, asked, asked]).state.phase).toBe('stopped');
      }),
    );
  });
});
