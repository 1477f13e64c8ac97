import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.js';

describe('until of the test support', () => {
  it('until() resolves once its condition holds', async () => {
    let asked = 0;
    await until(() => (asked += 1) === 3);

    expect(asked).toBe(3);
  });

  it('until() rejects with a condition that never held, and stops checking', async () => {
    let asked = 0;
    const never = (): boolean => (asked += 1) < 0;

    await expect(until(never, { within: 0 })).rejects.toThrow('waited 0 s in vain: ');

    const askedThen = asked;
    await delay(20);
    expect(asked).toBe(askedThen);
  });
});
