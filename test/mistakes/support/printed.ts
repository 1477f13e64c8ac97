import { jest } from '@jest/globals';
import { informer, type KubeClient, pods } from 'rx-informers';
import {
  aPod,
  createInMemoryApiServer,
  type InMemoryApiServer,
  type VirtualClock,
  virtualClock,
} from 'rx-informers/testing';
import { tap } from 'rxjs';

/** What a program with a mistake uses: a cluster with three pods, in virtual time. */
export interface Program {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  readonly client: KubeClient;
  /** A client with the rights of an account that may do nothing. */
  readonly stranger: KubeClient;
  /** An input from JavaScript, which no compiler checks. */
  readonly input: (value: unknown) => never;
  /** Reads pods through a client until its first request has failed, in real time. */
  readonly failing: (client: KubeClient) => Promise<void>;
}

/**
 * Runs a program for a minute of virtual time, and returns each line that it prints. An error that
 * is thrown is a line, as Node prints it.
 */
export async function printed(program: (world: Program) => unknown): Promise<readonly string[]> {
  const clock = virtualClock();
  const server = createInMemoryApiServer({ scheduler: clock });
  server.apply([
    aPod({ name: 'web', labels: { app: 'web' }, node: 'worker-1' }),
    aPod({ name: 'db', labels: { app: 'db' }, node: 'worker-1' }),
    aPod({ name: 'cache', labels: { app: 'cache' }, node: 'worker-2' }),
  ]);
  server.grant('stranger', { name: 'stranger', allow: [] });
  const lines: string[] = [];
  const running: (() => void)[] = [];
  // Reports that wait do so by a real timer, which a test moves.
  jest.useFakeTimers({ doNotFake: everyTimerExcept('setTimeout', 'clearTimeout') });
  const print = (...values: readonly unknown[]): void => {
    lines.push(values.map(String).join(' '));
  };
  const spies = [
    ...(['error', 'warn', 'log'] as const).map((method) => jest.spyOn(console, method).mockImplementation(print)),
    jest.spyOn(process, 'emitWarning').mockImplementation(print),
  ];
  const failing = async (client: KubeClient): Promise<void> => {
    await new Promise<void>((resolve) => {
      const exchange: KubeClient['exchange'] = (request) =>
        client.exchange(request).pipe(tap({ error: () => setImmediate(resolve) }));
      const all = informer({ ...client, exchange, scheduler: clock }, pods);
      all.connect();
      running.push(() => all.stop());
    });
  };
  try {
    await program({
      clock,
      server,
      client: server.client,
      stranger: server.clientFor('stranger'),
      input: (value) => value as never,
      failing,
    });
    await clock.advanceAsync(60_000);
    jest.advanceTimersByTime(10_000);
  } catch (error) {
    print(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  } finally {
    for (const stop of running) stop();
    server.stop();
    jest.useRealTimers();
    for (const spy of spies) spy.mockRestore();
  }
  // Stacks are not compared, and ports differ.
  const text = lines
    .join('\n')
    .replace(/\(at [^(]*\(?\S+:\d+:\d+\)+/g, '(at PLACE)')
    .replace(/(?<=was (?:made|read) )at \S+ (?:\S+ )*?\(?\S+:\d+:\d+\)?/g, '(at PLACE)')
    .replace(/(?<=127\.0\.0\.1:)\d{4,}/g, 'PORT')
    .replace(/(?<=EPROTO )\S+/, '…');
  return text.split('\n').filter((line) => line !== '');
}

const timers = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

function everyTimerExcept(...faked: readonly string[]): (typeof timers)[number][] {
  return timers.filter((timer) => !faked.includes(timer));
}
