import { setTimeout as sleep } from 'node:timers/promises';
import { watchComputing } from '../../../bench/measure/event-loop-block.js';

describe('watching how long a process computes', () => {
  it('gives the longest pause in which it did, and not the time in which it only waited', async () => {
    const longest = watchComputing();
    await sleep(60);
    expect(longest()).toBeLessThan(40);
    const computing = watchComputing();
    const { user, system } = process.cpuUsage();
    const spent = (): number => (process.cpuUsage().user + process.cpuUsage().system - user - system) / 1000;
    while (spent() < 80);
    await sleep(5);
    expect(computing()).toBeGreaterThanOrEqual(79);
  });
});
