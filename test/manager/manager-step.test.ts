import fc from 'fast-check';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from 'rx-informers/controller';
import { consoleLogger, type ConsoleLoggerOptions, manager, type ManagerEvent } from 'rx-informers/node';
import { VirtualTimeScheduler, firstValueFrom, lastValueFrom, Subject, Subscription, toArray } from 'rxjs';
import { listenError } from '../../src/manager/manager-error.js';
import { initial, step, type Effect, type Input, type State } from '../../src/manager/manager-step.js';
import { errorWith } from '../support/error-with.js';

const inputs: readonly Input[] = [
  { type: 'opened' },
  { type: 'asked' },
  { type: 'asked', signal: 'SIGTERM' },
  { type: 'failed', error: new Error('failed') },
  { type: 'aborted' },
  { type: 'drained' },
  { type: 'closed' },
  { type: 'grace-over' },
];

/** The inputs of a shell: `drained` and `closed` come only after the effect to drain or close. */
function live(sequence: readonly Input[]) {
  let state: State = initial;
  const effects: Effect['type'][] = [];
  const occurred: Input[] = [];
  for (const input of sequence) {
    if (input.type === 'drained' && !effects.includes('drain')) continue;
    if (input.type === 'closed' && !effects.includes('close')) continue;
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects.map(({ type }) => type));
    occurred.push(input);
  }
  return { state, effects, occurred };
}

describe('the life of a manager', () => {
  it('starts once, closes once and ends once, in this order, for any sequence of inputs', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects } = live(sequence);
        const once: readonly Effect['type'][] = ['start', 'emit-stopping', 'limit', 'drain', 'abort', 'close', 'end'];
        const order: readonly Effect['type'][] = effects.filter((effect) => effect !== 'emit-failure');
        expect(order).toEqual(once.filter((effect) => order.includes(effect)));
        expect(order.includes('end')).toBe(state.phase === 'stopped');
        // Everything that was started is stopped before it is closed, and everything is closed
        // before the end.
        const has = (effect: Effect['type']): boolean => order.includes(effect);
        expect(has('drain')).toBe(has('start') && (has('close') || has('emit-stopping')));
        expect(has('close') || !has('end')).toBe(true);
      }),
    );
  });

  it('has exit code 1 if something failed, 2 if it was cut off, otherwise 0', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const { state, effects, occurred } = live(sequence);
        if (state.phase !== 'stopped') return;
        const failed = effects.includes('emit-failure');
        const last = occurred.findLastIndex((_, index) => live(occurred.slice(0, index)).state.phase !== 'stopped');
        const aborted = occurred.slice(0, last).some(({ type }) => type === 'aborted');
        const cutOff = aborted || occurred[last]?.type === 'asked' || occurred[last]?.type === 'grace-over';
        expect(state.exitCode).toBe(failed ? 1 : cutOff ? 2 : 0);
      }),
    );
  });

  it('ends after at most two stop requests once it has started', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...inputs), { maxLength: 12 }), (sequence) => {
        const requested: Input = { type: 'asked' };
        expect(live([...sequence, requested, requested]).state.phase).toBe('stopped');
      }),
    );
  });
});

const midnight = Date.UTC(2026, 1, 1);

function logged(options: ConsoleLoggerOptions = {}) {
  const lines: string[] = [];
  const scheduler = new VirtualTimeScheduler();
  scheduler.frame = midnight;
  return { lines, logger: consoleLogger({ json: true, scheduler, write: (line) => lines.push(line), ...options }) };
}

describe('consoleLogger', () => {
  it('writes a line of JSON with time, level and message first, then the fields', () => {
    const { lines, logger } = logged();
    logger.info({ key: 'web/a', took: 3 }, 'reconciled');
    expect(lines).toEqual([
      '{"time":"2026-02-01T00:00:00.000Z","level":"info","message":"reconciled","key":"web/a","took":3}',
    ]);
  });

  it('does not let a field replace the time, the level or the message', () => {
    const { lines, logger } = logged();
    logger.warn({ time: 'never', level: 'debug', message: 'hidden' }, 'shown');
    expect(lines).toEqual(['{"time":"2026-02-01T00:00:00.000Z","level":"warn","message":"shown"}']);
  });

  it('writes an error in JSON with its type, stack, plain properties and causes', () => {
    const { lines, logger } = logged();
    const error = new Error('cannot write', { cause: new TypeError('no such field') });
    logger.error({ error: Object.assign(error, { code: 'EIO', response: { body: 'long' } }) }, 'failed');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      error: {
        type: 'Error',
        message: 'cannot write',
        code: 'EIO',
        stack: expect.stringContaining('manager-step.test'),
        cause: { type: 'TypeError', message: 'no such field' },
      },
    });
    expect(lines[0]).not.toContain('long');
  });

  it('writes a human-readable line: time, level, message, fields, and the stacks of an error and its causes below', () => {
    const { lines, logger } = logged({ json: false });
    const error = new Error('cannot write', { cause: new TypeError('no such field', { cause: 'a typo' }) });
    logger.error({ key: 'web/a', note: 'two words', skipped: undefined, reasons: [1], error }, 'failed');
    const [head, ...rest] = lines[0]!.split('\n');
    expect(head).toMatch(/^\d\d:\d\d:00\.000 ERROR failed key=web\/a note="two words" reasons=\[1\]$/);
    expect(rest[0]).toBe('    error: Error: cannot write');
    expect(rest).toContain('    caused by: TypeError: no such field');
    expect(rest.at(-1)).toBe('    caused by: a typo');
    expect(rest.every((line) => line.startsWith('    '))).toBe(true);
  });

  it('removes terminal escape sequences from a human-readable line', () => {
    const { lines, logger } = logged({ json: false });
    logger.warn({ note: '\u001b[2Jcleared', error: new Error('\u001b[31mred') }, 'failed');
    expect(lines[0]).not.toContain('\u001b');
  });

  it.each(['debug', 'info', 'warn', 'error'] as const)('writes nothing below the level %s', (level) => {
    const { lines, logger } = logged({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each]({}, each);
    const written = lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
    expect(written).toEqual(
      ['debug', 'info', 'warn', 'error'].slice(['debug', 'info', 'warn', 'error'].indexOf(level)),
    );
  });

  it('writes at info and above by default', () => {
    const { lines, logger } = logged();
    logger.debug({}, 'hidden');
    logger.info({}, 'shown');
    expect(lines).toHaveLength(1);
  });

  it.each([true, false])('writes values that JSON does not support, and never throws (json: %s)', (json) => {
    const { lines, logger } = logged({ json });
    const circular: Record<string, unknown> = { name: 'loop' };
    circular['self'] = circular;
    const error: Error = new Error('loop');
    error.cause = error;
    const throwing = {
      toJSON: () => {
        throw new Error('no JSON');
      },
    };
    for (const value of [circular, 12n, throwing, Symbol('s'), () => 1, Object.create(null), error, undefined, null]) {
      logger.info({ value }, 'odd');
    }
    expect(lines).toHaveLength(9);
    expect(lines.every((line) => line.includes('odd'))).toBe(true);
  });
});

let open: Subscription;

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
  beforeEach(() => {
    open = new Subscription();
  });

  afterEach(() => {
    open.unsubscribe();
  });

  it('is a free one if it is 0, and the event contains it', async () => {
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

  it('serves metrics that are a promise, like those of prom-client', async () => {
    const { Registry, Counter } = await import('prom-client');
    const registry = new Registry();
    new Counter({ name: 'tries_total', help: 'tries', registers: [registry] }).inc();
    const port = await serve({ metrics: registry });
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get('content-type')).toBe(registry.contentType);
    expect(await response.text()).toContain('tries_total 1');
  });

  it('is free again when the manager has stopped, even while a response is awaited', async () => {
    const port = await serve({ metrics: { contentType: 'text/plain', metrics: () => new Promise(() => undefined) } });
    const pending = fetch(`http://127.0.0.1:${port}/metrics`).catch(() => 'cut off');
    await fetch(`http://127.0.0.1:${port}/healthz`);
    open.unsubscribe();
    expect(await pending).toBe('cut off');
    const again = createServer().listen(port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });

  it('causes an error with a hint if another program uses it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [failed, ...rest] = await outcome({ port, host: '127.0.0.1' });
    other.close();
    expect(failed).toMatchObject({ type: 'failed', error: errorWith('RXI_LISTEN') });
    expect(failed).toMatchObject({
      error: {
        causeCode: 'EADDRINUSE',
        port,
        message: `cannot listen on port ${port} of 127.0.0.1: another program uses the port; stop that program, or choose another health.port`,
      },
    });
    expect(rest).toMatchObject([
      { type: 'stopping', cause: 'failed' },
      { type: 'stopped', exitCode: 1 },
    ]);
  });

  it('causes an error with a hint if its host is not an address of this machine', async () => {
    // 192.0.2.0/24 is reserved for documentation.
    const [failed] = await outcome({ port: 0, host: '192.0.2.1' });
    expect(failed).toMatchObject({ error: { causeCode: 'EADDRNOTAVAIL', host: '192.0.2.1' } });
    expect(failed).toMatchObject({
      error: { message: expect.stringContaining('leave it out to listen on all addresses') },
    });
  });

  it('causes an error with a hint if the system forbids it', () => {
    // Tests may run as root, who may use any port.
    const error = listenError('EACCES', 80, undefined, new Error('listen EACCES'));
    expect(error.message).toBe(
      'cannot listen on port 80 of all addresses: this process may not use the port; choose a health.port above 1023',
    );
  });

  it('causes an error with the message of the system for any other failure', () => {
    const error = listenError('EMFILE', 80, undefined, new Error('too many open files'));
    expect(error.message).toContain('too many open files');
  });
});
