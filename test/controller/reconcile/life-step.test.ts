import { lifeStep, type LifeInput } from '../../../src/controller/reconcile/life.js';

const synced: LifeInput = { type: 'synced', took: 1 };
const stop: LifeInput = { type: 'stopping', cause: 'stop' };
const broken: LifeInput = { type: 'stopping', cause: 'stop-failed', error: 'broken' };
const ended: LifeInput = { type: 'stopping', cause: 'collection-ended', trigger: 'for' };

describe('lifeStep', () => {
  it.each([
    ['syncing', synced, 'running', ['tell', 'start-runs']],
    ['running', synced, 'running', []],
    ['stopping', synced, 'stopping', []],
    ['running', stop, 'stopping', ['tell', 'stop-intake']],
    ['running', broken, 'stopping', ['tell', 'stop-intake']],
    ['running', ended, 'stopping', ['tell', 'stop-intake', 'end-drain']],
    ['syncing', stop, 'stopping', ['tell', 'stop-intake', 'end-drain']],
    ['syncing', ended, 'stopping', ['tell', 'stop-intake', 'end-drain']],
    ['stopping', stop, 'stopping', ['end-drain']],
    ['stopping', ended, 'stopping', ['end-drain']],
  ] as const)('%s, then %j: %s', (phase, input, next, effects) => {
    expect(lifeStep(phase, input)).toEqual({ phase: next, effects });
  });
});
