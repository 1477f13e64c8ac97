import { jest } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leases } from 'rx-informers';
import { aConfigMap, createApiServer, type ApiServer } from 'rx-informers/testing';
import { interval, lastValueFrom, toArray } from 'rxjs';
import { startProgram, type LogLine, type ProgramProcess } from '../cluster/support/operator-process.js';
import { lease } from './support/lease.js';

// A process of its own needs some seconds to begin on a busy machine.
jest.setTimeout(60_000);

let server: ApiServer;
let folder: string;
let program: ProgramProcess;
beforeAll(async () => {
  server = await createApiServer();
  server.apply(aConfigMap({ name: 'settings' }));
  folder = mkdtempSync(join(tmpdir(), 'manager-'));
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
});
afterEach(async () => {
  program.signal('SIGKILL');
  await program.exited;
  server.remove(leases, lease.name, lease.namespace);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

function start(task: string, port = 0): void {
  program = startProgram('test/manager/support/program.ts', [task, String(port), join(folder, 'kubeconfig')]);
}

function said(message: string): Promise<LogLine> {
  return program.said(message);
}

async function messages(): Promise<readonly string[]> {
  const lines = await lastValueFrom(program.lines$.pipe(toArray()));
  return lines.map(({ message }) => message);
}

function holder(): string | undefined {
  return server.objects.get(leases, lease.name, lease.namespace)?.spec?.holderIdentity;
}

describe('a process that runs a manager', () => {
  it('serves its health, releases the lease on SIGTERM, and exits by itself with code 0', async () => {
    start('nothing');
    const { port } = await said('serving health and metrics');
    await said('running');
    expect(holder()).toBe('program');
    for (const path of ['healthz', 'readyz']) {
      expect((await fetch(`http://127.0.0.1:${String(port)}/${path}`)).status).toBe(200);
    }

    program.signal('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(holder()).toBe('');
    expect((await messages()).slice(-2)).toEqual(['stopped the process', 'run() has resolved']);
    expect(await program.complaints).toBe('');
  });

  it('exits at the second SIGINT with code 2, though a run never ends, and releases the lease', async () => {
    start('wait for ever');
    await said('running');
    program.signal('SIGINT');
    await said('stopping the process');
    // Several times, because signals in quick succession count as one.
    const signals = interval(100).subscribe(() => {
      program.signal('SIGINT');
    });
    const stopped = await said('stopped the process');
    signals.unsubscribe();
    expect(await program.exited).toBe(2);
    // The grace period is 25 s.
    expect(stopped['took']).toBeLessThan(20_000);
    expect(holder()).toBe('');
  });

  it('reports that its port is taken, and exits with code 1 before it has sent a request', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    start('nothing', port);
    expect(await program.exited).toBe(1);
    other.close();
    const { level, error } = await said('a part of the process failed');
    expect(level).toBe('error');
    expect(error).toMatchObject({
      type: 'RXI_LISTEN',
      message: `cannot listen on port ${port} of 127.0.0.1: another program uses the port; stop that program, or choose another health.port`,
    });
    expect(holder()).toBeUndefined();
  });

  it('exits with code 1 if a controller ends by itself, and releases the lease', async () => {
    start('stop the cache');
    expect(await program.exited).toBe(1);
    const { error } = await said('a part of the process failed');
    expect(error).toMatchObject({ type: 'RXI_CONTROLLER_ENDED', controller: 'web' });
    expect(holder()).toBe('');
  });

  it('reports what keeps it alive if it cannot exit by itself', async () => {
    start('leave a timer');
    await said('running');
    program.signal('SIGTERM');
    const { resources } = await said('the manager has stopped, but other resources keep the process alive; close them');
    expect(resources).toContain('Timeout');
  });
});
