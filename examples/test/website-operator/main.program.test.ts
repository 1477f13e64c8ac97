import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { lastValueFrom, toArray } from 'rxjs';
import { startOperator, type OperatorProcess } from '../../../test/cluster/support/operator-process.js';

// A process of its own needs some seconds to begin on a busy machine.
jest.setTimeout(60_000);

describe('npm run operator', () => {
  let operator: OperatorProcess;
  afterEach(async () => {
    operator.signal('SIGKILL');
    await operator.exited;
  });

  it('manages the websites of an embedded API server, serves metrics and health, and stops on a signal', async () => {
    operator = startOperator('test', []);
    const { port } = await operator.said('serving health and metrics');
    const metrics = `http://localhost:${String(port)}/metrics`;
    await operator.said('all caches have synced');

    const text = await (await fetch(metrics)).text();
    expect(text).toContain('leader_election_master_status{name="website-operator"} 1');
    expect(text).toContain('workqueue_adds_total{name="website"');
    for (const name of ['websites', 'deployments', 'services']) {
      expect(text).toContain(`reflector_lists_total{name="${name}"}`);
      expect(text).toContain(`informer_synced{name="${name}"} 1`);
    }
    for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, metrics))).status).toBe(200);
    expect((await fetch(new URL('/nothing', metrics))).status).toBe(404);

    operator.signal('SIGTERM');
    expect(await operator.exited).toBe(0);
    expect((await lastValueFrom(operator.lines$.pipe(toArray()))).at(-1)).toMatchObject({
      message: 'stopped the process',
      exitCode: 0,
    });
  });

  it('reports that its port is taken, before it has created a lease', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    operator = startOperator('test', ['--metrics-port', String((other.address() as AddressInfo).port)]);
    expect(await operator.exited).toBe(1);
    other.close();
    const lines = await lastValueFrom(operator.lines$.pipe(toArray()));
    expect(lines.map(({ message }) => message)).toEqual([
      'starting',
      'a part of the process failed',
      'stopping the process',
      'stopped the process',
    ]);
    expect(lines[1]).toMatchObject({ level: 'error', error: { type: 'RXI_LISTEN', causeCode: 'EADDRINUSE' } });
  });

  it.each([
    {
      problem: 'a lease shorter than a renewal may take',
      parameters: ['--leader-elect-lease-duration', '10s', '--leader-elect-renew-deadline', '10s'],
      message: 'leaseDuration must be longer than renewDeadline (10000 ms), not 10000',
    },
    {
      problem: 'a renewal timeout shorter than the retry period',
      parameters: ['--leader-elect-renew-deadline', '1s'],
      message: 'renewDeadline must be longer than 1.2 times retryPeriod (2000 ms), not 1000',
    },
    { problem: 'an invalid duration', parameters: ['--duration', 'soon'], message: 'use a time such as 10s' },
    { problem: 'a missing kubeconfig', parameters: ['--kubeconfig', '/nowhere/config'], message: 'ENOENT' },
    {
      problem: 'a missing context',
      parameters: ['--context', 'nowhere'],
      message: 'no cluster for the context "nowhere"',
    },
  ])('reports an invalid option in one line: $problem', async ({ parameters, message }) => {
    operator = startOperator('test', parameters);

    expect(await operator.exited).toBe(1);

    const complaints = await operator.complaints;
    expect(complaints).toContain(message);
    expect(complaints.trim().split('\n')).toHaveLength(1);
  });
});
