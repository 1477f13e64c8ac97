import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ListenError, manager, type ManagerEvent } from 'rx-informers/node';
import { silentLogger } from 'rx-informers/controller';
import { firstValueFrom, lastValueFrom, Subject, Subscription, toArray } from 'rxjs';

let open: Subscription;
beforeEach(() => {
  open = new Subscription();
});
afterEach(() => {
  open.unsubscribe();
});

const quiet = { controllers: [], logger: silentLogger };

/** Serves on a free port until the test ends. */
async function serve(options: Partial<Parameters<typeof manager>[0]> = {}): Promise<number> {
  const events = new Subject<ManagerEvent>();
  const first = firstValueFrom(events);
  open.add(manager({ ...quiet, health: { port: 0, host: '127.0.0.1' }, ...options }).subscribe(events));
  const listening = await first;
  return listening.type === 'listening' ? listening.port : 0;
}

function outcome(health: { readonly port: number; readonly host?: string }): Promise<ManagerEvent[]> {
  return lastValueFrom(manager({ ...quiet, health }).pipe(toArray()));
}

describe('the port of a manager', () => {
  it('is a free one if it is 0, and the event says which', async () => {
    const port = await serve();
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: 'ok\n' });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it('answers HEAD with the headers of GET and without a body', async () => {
    const port = await serve();
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { method: 'HEAD' });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
    expect(response.headers.get('content-length')).toBe('3');
  });

  it('serves metrics that are a promise, as those of prom-client are', async () => {
    const { Registry, Counter } = await import('prom-client');
    const registry = new Registry();
    new Counter({ name: 'tries_total', help: 'tries', registers: [registry] }).inc();
    const port = await serve({ metrics: registry });
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get('content-type')).toBe(registry.contentType);
    expect(await response.text()).toContain('tries_total 1');
  });

  it('is free again when the manager has stopped, also while a response is awaited', async () => {
    const port = await serve({ metrics: { contentType: 'text/plain', metrics: () => new Promise(() => undefined) } });
    const pending = fetch(`http://127.0.0.1:${port}/metrics`).catch(() => 'cut off');
    await fetch(`http://127.0.0.1:${port}/healthz`);
    open.unsubscribe();
    expect(await pending).toBe('cut off');
    const again = createServer().listen(port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });

  it('is reported with what to do if another program uses it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [failed, ...rest] = await outcome({ port, host: '127.0.0.1' });
    other.close();
    expect(failed).toMatchObject({ type: 'failed', error: expect.any(ListenError) });
    expect(failed).toMatchObject({
      error: {
        causeCode: 'EADDRINUSE',
        port,
        message: `cannot listen on port ${port} of 127.0.0.1: another program uses it; stop that program, or choose another health.port`,
      },
    });
    expect(rest).toMatchObject([
      { type: 'stopping', cause: 'failed' },
      { type: 'stopped', exitCode: 1 },
    ]);
  });

  it('is reported with what to do if its host is no address of this machine', async () => {
    // 192.0.2.0/24 is reserved for documentation.
    const [failed] = await outcome({ port: 0, host: '192.0.2.1' });
    expect(failed).toMatchObject({ error: { causeCode: 'EADDRNOTAVAIL', host: '192.0.2.1' } });
    expect(failed).toMatchObject({
      error: { message: expect.stringContaining('leave it out to listen on all addresses') },
    });
  });

  it('is reported with what to do if the system forbids it', () => {
    // Tests may run as root, who may use any port.
    const error = new ListenError('EACCES', 80, undefined, new Error('listen EACCES'));
    expect(error.message).toBe(
      'cannot listen on port 80 of all addresses: this process may not use it; choose a health.port above 1023',
    );
  });

  it('is reported with the message of the system for any other error', () => {
    const error = new ListenError('EMFILE', 80, undefined, new Error('too many open files'));
    expect(error.message).toContain('too many open files');
  });
});
