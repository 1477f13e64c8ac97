import { setTimeout as delay } from 'node:timers/promises';
import { until } from './until.js';

describe('until of the test support', () => {
  it('until() resolves once its condition holds', async () => {
    let requests = 0;
    await until(() => (requests += 1) === 3);

    expect(requests).toBe(3);
  });

  it('until() rejects with a condition that never held, and stops checking', async () => {
    let requests = 0;
    const never = (): boolean => (requests += 1) < 0;

    await expect(until(never, { within: 0 })).rejects.toThrow('waited 0 s in vain: ');

    const requestsThen = requests;
    await delay(20);
    expect(requests).toBe(requestsThen);
  });
});
