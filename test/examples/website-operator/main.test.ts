import { jest } from '@jest/globals';
import { filter, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { startOperator } from '../../cluster/support/operator-process.js';

// A process of its own needs some seconds to begin on a busy machine.
jest.setTimeout(60_000);

describe('npm run operator', () => {
  it('looks after the websites of an embedded API server, serves metrics and health, and stops when it is told', async () => {
    const operator = startOperator('test', []);
    const said = (message: string) => firstValueFrom(operator.lines$.pipe(filter((line) => line.message === message)));
    const { metrics } = (await said('started')) as unknown as { readonly metrics: string };
    await said('all caches have synced');

    const text = await (await fetch(metrics)).text();
    expect(text).toContain('leader_election_master_status{name="website-operator"} 1');
    expect(text).toContain('workqueue_adds_total{name="website"');
    expect((await fetch(new URL('/healthz', metrics))).status).toBe(200);
    expect((await fetch(new URL('/nothing', metrics))).status).toBe(404);

    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect((await lastValueFrom(operator.lines$.pipe(toArray()))).at(-1)).toMatchObject({ message: 'stopped' });
  });

  it('says what is wrong with its options', async () => {
    const operator = startOperator('test', ['--leader-elect-lease-duration', '1s']);
    expect(await operator.exited).toBe(1);
  });
});
