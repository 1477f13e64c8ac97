import { collectUntil } from './collect-until.js';

describe('collectUntil of the test support', () => {
  it('waits for finalization callbacks', async () => {
    const finalized: string[] = [];
    const registry = new FinalizationRegistry<string>((name) => finalized.push(name));
    registry.register({}, 'unreachable');

    await collectUntil(() => finalized.length > 0);

    expect(finalized).toEqual(['unreachable']);
    // A registry that is collected itself calls nothing back.
    expect(registry).toBeDefined();
  });

  it('rejects with a condition that never held', async () => {
    const kept = new WeakRef(globalThis);

    await expect(collectUntil(() => kept.deref() === undefined, { within: 0 })).rejects.toThrow('kept.deref()');
  });
});
