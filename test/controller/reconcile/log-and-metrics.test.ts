import {
  type Logger,
  type LogFields,
  fastSlow,
  controller,
  type ReconcileMetrics,
  requeueAfter,
  TerminalError,
} from 'rx-informers/controller';
import { virtualClock } from 'rx-informers/testing';
import { NEVER, Subject, timer } from 'rxjs';
import { skipped } from '../../../src/controller/workqueue/outcome.js';
import { fail } from '../workqueue/support/recorded-events.js';
import { aSite, store, type Thing } from './support/stores.js';

/** pino's methods: fields, then the message, then values for the message. */
type PinoLike = Record<(typeof levels)[number], (fields: object, message?: string, ...values: unknown[]) => void>;

/** winston's methods: the message first, and the logger back. */
type WinstonLike = Record<(typeof levels)[number], (message: string, ...meta: unknown[]) => unknown>;

const levels = ['debug', 'info', 'warn', 'error'] as const;

describe('Logger', () => {
  it('accepts console as a logger', () => {
    const logger: Logger = console;
    for (const level of levels) expect(logger[level]).toBe(console[level]);
  });

  it('accepts a pino logger without an adapter', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const pino: PinoLike = { debug: write, info: write, warn: write, error: write };
    const logger: Logger = pino;
    logger.info({ key: 'web/a' }, 'reconciled');
    expect(lines).toEqual([[{ key: 'web/a' }, 'reconciled']]);
  });

  it('accepts a winston logger through four short functions', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const winston: WinstonLike = { debug: write, info: write, warn: write, error: write };
    const logger: Logger = {
      debug: (fields, message) => void winston.debug(message, fields),
      info: (fields, message) => void winston.info(message, fields),
      warn: (fields, message) => void winston.warn(message, fields),
      error: (fields, message) => void winston.error(message, fields),
    };
    for (const level of levels) logger[level]({ key: 'web/a' }, level);
    expect(lines).toEqual(levels.map((level) => [level, { key: 'web/a' }]));
  });
});

function memoryLogger(lines: (readonly [level: string, message: string, fields: LogFields | undefined])[]): Logger {
  const line =
    (level: string) =>
    (fields: LogFields, message: string): void =>
      void lines.push([level, message, fields]);
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

const rateLimiter = () => fastSlow({ fast: 10, slow: 10, fastAttempts: 0 });

describe('controller: its log', () => {
  it('logs each error of its caches once: as an error, or as debug if the error is handled by design', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const sites = store(aSite('a'));
    const errors$ = new Subject<Error & { readonly expected: boolean }>();
    const cache = Object.assign(Object.create(sites) as typeof sites, { errors$ });
    const running = controller({
      for: cache,
      watches: [{ source: cache, map: () => [] }],
      logger: memoryLogger(lines),
      reconcile: () => undefined,
    }).subscribe();
    errors$.next(Object.assign(new Error('gone'), { expected: true }));
    errors$.next(Object.assign(new Error('broken'), { expected: false }));
    running.unsubscribe();
    const received = lines.filter(([, message]) => message === 'a cache reported an error');
    expect(received.map(([level, , fields]) => [level, fields?.['trigger'], String(fields?.['error'])])).toEqual([
      ['debug', 'for', 'Error: gone'],
      ['error', 'for', 'Error: broken'],
    ]);
    expect(errors$.observed).toBe(false);
  });

  it('logs the controller, the key and the outcome, each at its level', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    const hooks = new Subject<string>();
    controller({
      name: 'website',
      for: store(aSite('a'), aSite('b'), aSite('c'), aSite('d')),
      watches: [{ source: hooks, map: (key) => key }],
      logger: memoryLogger(lines),
      scheduler: clock,
      rateLimiter,
      maxRetries: 1,
      gracePeriod: 3,
      stop$,
      reconcile: ({ key, attempt, logger }) => {
        if (key === 'a') throw new Error('broken');
        if (key === 'b') throw new TerminalError('never');
        if (key === 'd') return NEVER;
        logger.info({ attempt }, `here is ${key}`);
        return requeueAfter(5);
      },
    }).subscribe();
    hooks.next('');
    clock.advance(8);
    stop$.next();
    clock.advance(3);
    const brief = lines.map(([level, message, fields]) => {
      const key = fields?.['key'] === undefined ? '' : `${fields['key'] as string}: `;
      return `${level} ${key}${message}`;
    });
    expect(brief).toEqual([
      'info all caches have synced',
      'debug a: reconciling',
      'warn a: reconcile failed; retrying',
      'debug b: reconciling',
      'error b: reconcile failed; not retried until something changes',
      'debug c: reconciling',
      'info c: here is c',
      'debug c: reconciled',
      'debug d: reconciling',
      'error a trigger failed and skipped this object or value',
      'info stopping the controller',
      'info a: not reconciled, because the controller is stopping',
      'info c: not reconciled, because the controller is stopping',
      'warn d: reconcile failed; not retried, because the controller is stopping',
      'info stopped the controller',
    ]);
    expect(lines.every(([, , fields]) => fields?.['controller'] === 'website')).toBe(true);
    expect(lines[2]?.[2]).toEqual({
      controller: 'website',
      key: 'a',
      attempt: 1,
      error: new Error('broken'),
      took: 0,
      retryAt: 10,
      reconcileID: '0-1',
    });
    expect(lines[6]?.[2]).toEqual({ controller: 'website', key: 'c', reconcileID: '0-3', attempt: 1 });
  });

  it('logs which key is held by a promise that does not settle, and when the key is released', async () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const clock = virtualClock();
    let settle = (): void => undefined;
    const work = new Promise<void>((resolve) => (settle = resolve));
    controller({
      for: store(aSite('a')),
      logger: memoryLogger(lines),
      maxRetries: 0,
      scheduler: clock,
      timeout: 10,
      reconcile: () => work,
    }).subscribe();
    clock.advance(10_020);
    settle();
    await work;
    expect(lines.slice(3)).toEqual([
      [
        'warn',
        'the last run was aborted, but its promise has not settled; the key waits until it does',
        { controller: 'controller', key: 'a', because: 'unsettled', heldFor: 10_000 },
      ],
      [
        'info',
        'the key no longer waits',
        { controller: 'controller', key: 'a', because: 'unsettled', heldFor: 10_010 },
      ],
    ]);
  });

  it('logs all lines of one run with the same reconcileID, including lines of the run itself, and a new one for each run', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const clock = virtualClock();
    controller({
      for: store(aSite('a'), aSite('b')),
      logger: memoryLogger(lines),
      scheduler: clock,
      concurrency: 2,
      reconcile: ({ key, logger }) => {
        logger.info({}, `here is ${key}`);
        return timer(10, clock);
      },
    }).subscribe();
    clock.advance(10);
    const ids = (key: string): readonly unknown[] =>
      lines.flatMap(([, , fields]) => (fields?.['key'] === key ? [fields['reconcileID']] : []));
    expect([ids('a'), ids('b')]).toEqual([
      ['0-1', '0-1', '0-1'],
      ['0-2', '0-2', '0-2'],
    ]);
  });

  it('logs runs of two controllers with different reconcileIDs, even if the controllers were created at the same time', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const clock = virtualClock();
    for (const name of ['website', 'certificate']) {
      const logger = memoryLogger(lines);
      controller({ name, for: store(aSite('a')), logger, scheduler: clock, reconcile: () => undefined }).subscribe();
    }
    clock.advance(0);
    const ids = lines.flatMap(([, message, fields]) => (message === 'reconciled' ? [fields?.['reconcileID']] : []));
    expect(ids).toEqual(['0-1', '1-1']);
  });

  it('logs once that an object failed for good, and again after its spec changed or with another error', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const version = (generation: number, size: number): Thing => {
      const site = aSite('a', size);
      return { ...site, metadata: { ...site.metadata, generation } };
    };
    const sites = store(version(1, 1));
    controller({
      for: sites,
      logger: memoryLogger(lines),
      scheduler: virtualClock(),
      reconcile: ({ object }) => {
        if (object?.spec.size === 0) return;
        throw new TerminalError(object?.spec.size === 2 ? 'bad size' : 'bad site');
      },
    }).subscribe();
    const levels = (): readonly string[] =>
      lines.splice(0).flatMap(([level, message]) => (message.startsWith('reconcile failed') ? [level] : []));
    expect(levels()).toEqual(['error']);
    sites.update(version(1, 1));
    sites.update(version(1, 1));
    expect(levels()).toEqual(['debug', 'debug']);
    sites.update(version(2, 1));
    expect(levels()).toEqual(['error']);
    sites.update(version(2, 2));
    expect(levels()).toEqual(['error']);
    sites.update(version(2, 0));
    sites.update(version(2, 2));
    expect(levels()).toEqual(['error']);
  });

  it('logs when the retries of a key are exhausted, and when a collection or stop$ ended it', () => {
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    const clock = virtualClock();
    controller({
      for: store(aSite('a')),
      logger: memoryLogger(lines),
      maxRetries: 0,
      scheduler: clock,
      stop$: fail('broken'),
      reconcile: () => undefined,
    }).subscribe();
    expect(lines.map(([level, message]) => `${level} ${message}`)).toEqual([
      'error stopping the controller',
      'info stopped the controller',
    ]);
    expect(lines[0]?.[2]).toMatchObject({ controller: 'controller', cause: 'stop-failed', error: 'broken' });
  });
});

describe('controller: its metrics', () => {
  const received = (words: string[]): ReconcileMetrics => ({
    concurrency: (count) => words.push(`concurrency ${count}`),
    started: () => words.push('started'),
    finished: (outcome, took) => words.push(`${outcome} ${took}`),
    observed: (took) => words.push(`observed ${took}`),
  });

  it('reports how each run ended, including runs that unsubscribing aborts', () => {
    const words: string[] = [];
    const clock = virtualClock();
    const failures: Readonly<Record<string, unknown>> = {
      error: new Error('broken'),
      terminal: new TerminalError('never'),
    };
    const subscription = controller({
      for: store(...['error', 'terminal', 'again', 'fine', 'never'].map((name) => aSite(name))),
      concurrency: 2,
      maxRetries: 0,
      scheduler: clock,
      metrics: received(words),
      reconcile: ({ key }) => {
        if (key in failures) return fail(failures[key]);
        if (key === 'never') return NEVER;
        return key === 'again' ? requeueAfter(1_000) : timer(5, clock);
      },
    }).subscribe();
    clock.advance(20);
    subscription.unsubscribe();
    expect(words).toEqual([
      'concurrency 2',
      'started',
      'requeue-after 0',
      'started',
      'error 0',
      'started',
      'started',
      'success 5',
      'started',
      'terminal-error 0',
      'aborted 20',
      'concurrency 0',
    ]);
  });

  it('reports a run that did no work as skipped', () => {
    const words: string[] = [];
    const lines: (readonly [string, string, LogFields | undefined])[] = [];
    controller({
      for: store(aSite('a')),
      scheduler: virtualClock(),
      metrics: received(words),
      logger: memoryLogger(lines),
      reconcile: () => skipped('not mine'),
    }).subscribe();
    expect(words).toEqual(['concurrency 1', 'started', 'skipped 0']);
    expect(lines.at(-1)).toEqual([
      'debug',
      'reconcile skipped',
      { controller: 'controller', key: 'a', attempt: 1, because: 'not mine', took: 0, reconcileID: '0-1' },
    ]);
  });

  it('reports runs that the end of the grace period aborts', () => {
    const words: string[] = [];
    const clock = virtualClock();
    const stop$ = new Subject<void>();
    controller({
      for: store(aSite('a')),
      scheduler: clock,
      stop$,
      gracePeriod: 5,
      metrics: received(words),
      reconcile: () => NEVER,
    }).subscribe();
    clock.advance(1);
    stop$.next();
    clock.advance(5);
    expect(words).toEqual(['concurrency 1', 'started', 'aborted 6', 'concurrency 0']);
  });

  it('reports queue metrics', () => {
    const priorities: number[] = [];
    const sites = store(aSite('a'));
    controller({
      for: sites,
      queueMetrics: { added: (priority) => void priorities.push(priority) },
      scheduler: virtualClock(),
      reconcile: () => undefined,
    }).subscribe();
    sites.update(aSite('a'));
    expect(priorities).toEqual([-100, 0]);
  });
});
