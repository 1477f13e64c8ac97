import { step, type Input } from '../../../src/controller/reconcile/life.js';

const synced: Input = { type: 'synced', took: 1 };
const stop: Input = { type: 'stopping', cause: 'stop' };
const broken: Input = { type: 'stopping', cause: 'stop-failed', error: 'broken' };
const ended: Input = { type: 'stopping', cause: 'collection-ended', trigger: 'for' };

describe('the life of a controller', () => {
  it.each([
    ['syncing', synced, 'running', ['emit', 'start-runs']],
    ['running', synced, 'running', []],
    ['stopping', synced, 'stopping', []],
    ['running', stop, 'stopping', ['emit', 'stop-intake']],
    ['running', broken, 'stopping', ['emit', 'stop-intake']],
    ['running', ended, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['syncing', stop, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['syncing', ended, 'stopping', ['emit', 'stop-intake', 'end-drain']],
    ['stopping', stop, 'stopping', ['end-drain']],
    ['stopping', ended, 'stopping', ['end-drain']],
  ] as const)('%s, then %j: is %s', (phase, input, next, effects) => {
    expect(step(phase, input)).toEqual({
      state: next,
      effects: effects.map((effect) => (effect === 'emit' ? { type: 'emit', event: input } : effect)),
    });
  });
});
