import { until } from './test-server.js';

describe('until', () => {
  it('goes on once its condition holds', async () => {
    let asked = 0;
    await until(() => (asked += 1) === 3);

    expect(asked).toBe(3);
  });

  it('rejects with the condition that never came to hold, and asks no more', async () => {
    let asked = 0;
    const never = (): boolean => (asked += 1) < 0;

    await expect(until(never, 0)).rejects.toThrow('waited 0 s in vain for ');

    const askedThen = asked;
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(askedThen);
  });
});
