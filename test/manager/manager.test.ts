import { controller, silentLogger, type Controller } from 'rx-informers/controller';
import { manager, type ManagerOptions } from 'rx-informers/node';
import { serverFaults } from 'rx-informers/testing';
import { EMPTY, finalize, NEVER, of, Subject, throwError, timer, type Subscription } from 'rxjs';
import { listenError, electionEndedError } from '../../src/manager/manager-error.js';
import { errorWith } from '../support/error-with.js';
import { managerStage, type ManagerStage } from './support/stage.js';

let stage: ManagerStage;
beforeEach(() => {
  stage = managerStage();
});

describe('manager: while it runs', () => {
  it('opens its port, connects the caches, competes for the lease, and runs the controllers when it leads', () => {
    stage.start({ controllers: [stage.runs('web', stage.settings())], leader: stage.leader(), health: {} });
    stage.clock.advance(0);

    expect(stage.lines).toEqual([
      '0 listening on 4711',
      '0 ready',
      '0 web runs default/settings',
      '0 web has run default/settings',
    ]);
    const [first, second] = stage.client.requests;
    expect(first).toContain('/configmaps');
    expect(second).toContain('/leases/');
    expect(stage.holder()).toBe('me');
  });

  it('runs the controllers at once without leader election, and opens no port without health or metrics', () => {
    stage.start({ controllers: [stage.runs('web', stage.settings()), stage.runs('db', stage.settings())] });
    stage.clock.advance(0);
    expect(stage.isServing).toBe(false);
    expect(stage.lines.filter((line) => line.includes(' runs '))).toEqual([
      '0 web runs default/settings',
      '0 db runs default/settings',
    ]);
  });

  it('starts nothing before the port is open', () => {
    stage.listenError = listenError('EADDRINUSE', 8080, undefined, new Error('in use'));
    stage.start({ controllers: [stage.runs('web', stage.settings())], leader: stage.leader(), health: {} });
    expect(stage.lines).toEqual([
      '0 failed: RXI_LISTEN: cannot listen on port 8080 of all addresses: another program uses the port; stop that program, or choose another health.port',
      '0 stopping: failed',
      '0 stopped after 0 with 1',
      '0 complete',
    ]);
    expect(stage.client.requests).toEqual([]);
  });

  it('keeps the caches of a standby replica connected, and reports it as ready', () => {
    stage.start({ controllers: [], leader: stage.leader('other') });
    const cache = stage.settings();
    const further = stage.settings();
    stage.start({
      controllers: [stage.runs('web', cache)],
      caches: [further, cache],
      leader: stage.leader(),
      health: {},
    });
    stage.clock.advance(60_000);
    expect([cache.hasSynced, further.hasSynced]).toEqual([true, true]);
    expect(stage.holder()).toBe('other');
    expect(stage.get('/readyz')).toMatchObject({ status: 200, body: 'ok\n' });
    expect(stage.lines).not.toContainEqual(expect.stringContaining('runs'));
  });

  it('logs at growing intervals which cache it waits for and why, also on standby, and when the cache is available again', () => {
    const lines: string[] = [];
    const log = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      const { controller = '', trigger = '', reason = '' } = fields;
      lines.push([stage.clock.now(), level, message, controller, trigger, reason].join(' '));
    };
    const logger = { debug: () => undefined, info: log('info'), warn: log('warn'), error: log('error') };
    stage.start({ controllers: [], leader: stage.leader('other') });
    stage.server.faults.always(({ path }) => path.endsWith('/configmaps'), serverFaults.respond(403));
    const controllers = [stage.runs('web', stage.settings())];
    stage.start({ controllers, caches: [stage.settings()], leader: stage.leader(), logger });
    stage.clock.advance(30_000);
    const reason = 'listing configmaps failed: .* 403 Forbidden: .*; grant list and watch of configmaps, or .*';
    const times = (pattern: string) =>
      lines.flatMap((line) => (new RegExp(`^\\d+ ${pattern}$`).test(line) ? [Number.parseInt(line, 10)] : []));
    expect(times(`warn waiting for a cache web caches\\[0\\] ${reason}`)).toEqual([0, 5_000, 15_000]);
    expect(times(`warn waiting for a cache  caches\\[0\\] ${reason}`)).toEqual([0, 5_000, 15_000]);
    expect(lines).toHaveLength(6);

    stage.server.faults.clear();
    stage.clock.advance(60_000);
    const rest = lines.slice(6).map((line) => line.replace(/^\d+ /, '').trim());
    expect(rest.filter((line) => !line.includes('waiting')).toSorted()).toEqual([
      'info the cache works again  caches[0]',
      'info the cache works again web caches[0]',
      'info the process is ready',
    ]);
  });

  it.each([
    ['it is unsubscribed from', ({ running }: { running: Subscription }) => running.unsubscribe()],
    ['it is asked to stop', ({ stop$ }: { stop$: Subject<void> }) => stop$.next()],
  ])('leaves logs about caches to a running controller, also while %s', (_when, end) => {
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => void lines.push(message) };
    stage.server.faults.always(({ path }) => path.endsWith('/configmaps'), serverFaults.respond(403));
    const stop$ = new Subject<void>();
    const running = stage.start({ controllers: [stage.runs('web', stage.settings())], logger, stop$ });
    stage.clock.advance(30_000);
    end({ running, stop$ });
    stage.clock.advance(30_000);
    // One millisecond for the moment between connecting the caches and running the controllers.
    expect(lines).toEqual(['waiting for a cache']);
  });

  it('checks its options when it is created', () => {
    const controllers: readonly Controller[] = [];
    expect(() => manager({ controllers, health: { port: 70_000 } })).toThrow('between 0 and 65535, not 70000');
    expect(() => manager({ controllers, health: { port: 80.5 } })).toThrow(errorWith('RXI_INVALID_OPTION'));
    expect(() => manager({ controllers, gracePeriod: -1 })).toThrow('gracePeriod');
  });
});

describe('manager: when it is asked to stop', () => {
  it('finishes running work, releases the lease, closes the rest in order, and frees the port last', async () => {
    const closed: string[] = [];
    const close = (name: string) => ({
      close: () => {
        closed.push(`${stage.clock.now()} ${name}`);
        return timer(50, stage.clock);
      },
    });
    const running = stage.run({
      controllers: [stage.runs('web', stage.settings(), 1_000)],
      leader: stage.leader(),
      health: {},
      closes: [close('recorder'), close('client')],
    });
    stage.clock.advance(300);
    stage.signal('SIGTERM');
    expect(stage.get('/readyz')).toMatchObject({ status: 503, body: 'the process is stopping\n' });
    expect(stage.get('/healthz')).toMatchObject({ status: 200 });
    stage.clock.advance(699);
    expect(stage.holder()).toBe('me');
    stage.clock.advance(200);

    expect(stage.lines).toEqual([
      '0 web runs default/settings',
      '1000 web has run default/settings',
      '1100 port closed',
    ]);
    expect(closed).toEqual(['1000 recorder', '1050 client']);
    expect(stage.holder()).toBe('');
    expect(await running).toBe(0);
    expect(stage.exitCodes).toEqual([]);
    expect({ open: stage.client.open, timers: stage.clock.timers }).toEqual({ open: 0, timers: 0 });
  });

  it('waits for the response to the release of its lease before it closes its client', async () => {
    const isRelease = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === 'PUT' && path.includes('/leases/');
    const closed: string[] = [];
    const running = stage.run({
      controllers: [],
      leader: stage.leader(),
      closes: [{ close: () => void closed.push(`${stage.clock.now()}: held by ${stage.holder() ?? ''}`) }],
    });
    stage.clock.advance(500);
    stage.server.faults.always(isRelease, serverFaults.delay(700));
    stage.signal('SIGTERM');
    stage.clock.advance(1_000);
    expect(closed).toEqual(['1200: held by ']);
    expect(await running).toBe(0);
  });

  it('stops at once at the second signal: aborts running work, and still releases the lease', async () => {
    const running = stage.run({
      controllers: [stage.runs('web', stage.settings(), 10_000)],
      leader: stage.leader(),
      health: {},
    });
    stage.clock.advance(1_000);
    stage.signal('SIGINT');
    stage.clock.advance(1_000);
    expect(stage.isServing).toBe(true);
    stage.signal('SIGINT');

    expect(stage.lines).toEqual(['0 web runs default/settings', '2000 port closed']);
    expect(stage.holder()).toBe('');
    expect(await running).toBe(2);
    expect(stage.exitCodes).toEqual([2]);
    expect({ open: stage.client.open, timers: stage.clock.timers }).toEqual({ open: 0, timers: 0 });
  });

  it("treats a signal within 300 ms as the same one, because npm forwards the terminal's signal", async () => {
    const running = stage.run({ controllers: [stage.runs('web', stage.settings(), 5_000)] });
    stage.clock.advance(1_000);
    stage.signal('SIGINT');
    stage.clock.advance(200);
    stage.signal('SIGINT');
    stage.clock.advance(5_000);
    expect(await running).toBe(0);
  });

  it('aborts running work at the end of the grace period', () => {
    const stop$ = new Subject<void>();
    const controllers = [stage.runs('web', stage.settings(), 60_000)];
    stage.start({ controllers, leader: stage.leader(), stop$, gracePeriod: 5_000 });
    stage.clock.advance(1_000);
    stop$.next();
    stage.clock.advance(5_000);
    expect(stage.lines.slice(-4)).toEqual([
      '1000 stopping: stop',
      '6000 web stopped, 1 aborted',
      '6000 stopped after 5000 with 2',
      '6000 complete',
    ]);
    expect(stage.holder()).toBe('');
  });

  it('ends with exit code 2 if a controller has aborted its runs at the end of its own grace period', () => {
    const stop$ = new Subject<void>();
    const web = controller({
      name: 'web',
      for: stage.settings(),
      scheduler: stage.clock,
      gracePeriod: 2_000,
      reconcile: () => NEVER,
    });
    stage.start({ controllers: [web], stop$ });
    stage.clock.advance(1_000);
    stop$.next();
    stage.clock.advance(5_000);
    expect(stage.lines.slice(-4)).toEqual([
      '1000 stopping: stop',
      '3000 web stopped, 1 aborted',
      '3000 stopped after 2000 with 2',
      '3000 complete',
    ]);
  });

  it.each([
    ['25 s by default', {}, 26_000],
    ['forever with an infinite grace period', { gracePeriod: Infinity }, undefined],
  ])('waits for something that never closes: %s', (_, options, stoppedAt) => {
    const stop$ = new Subject<void>();
    stage.start({ controllers: [], closes: [{ close: () => NEVER }], stop$, ...options });
    stage.clock.advance(1_000);
    stop$.next();
    stage.clock.advance(100_000);
    expect(stage.lines.find((line) => line.includes('stopped after'))).toBe(
      stoppedAt && `${stoppedAt} stopped after 25000 with 2`,
    );
  });

  it('stops a replica on standby without having led', () => {
    stage.start({ controllers: [], leader: stage.leader('other') });
    const stop$ = new Subject<void>();
    stage.start({ controllers: [stage.runs('web', stage.settings())], leader: stage.leader(), stop$ });
    stage.clock.advance(1_000);
    stop$.next();
    expect(stage.lines.slice(-3)).toEqual(['1000 stopping: stop', '1000 stopped after 0 with 0', '1000 complete']);
    expect(stage.holder()).toBe('other');
  });

  it('stops while the port is being opened: starts nothing, and closes everything', async () => {
    stage.isOpening = true;
    const closed: string[] = [];
    const running = stage.run({
      controllers: [stage.runs('web', stage.settings())],
      leader: stage.leader(),
      health: {},
      closes: [{ close: () => void closed.push('client') }],
    });
    stage.signal('SIGTERM');
    expect(await running).toBe(0);
    expect(closed).toEqual(['client']);
    expect(stage.client.requests).toEqual([]);
  });

  it('opens no port if it is asked to stop before', () => {
    const client = { close: () => timer(1_000, stage.clock) };
    stage.start({ controllers: [], health: {}, stop$: of('stop'), closes: [client] });
    stage.clock.advance(1_000);
    expect(stage.lines).toEqual(['0 stopping: stop', '1000 stopped after 1000 with 0', '1000 complete']);
  });

  it('reports what keeps the process alive afterwards', async () => {
    const lines: unknown[] = [];
    const write = (fields: object, message: string): void => void lines.push([fields, message]);
    const stop$ = new Subject<void>();
    const running = stage.run({
      controllers: [],
      stop$,
      logger: { debug: write, info: write, warn: write, error: write },
    });
    stop$.next();
    expect(await running).toBe(0);
    stage.stillAlive('Timeout');
    expect(lines.at(-1)).toEqual([
      { resources: ['Timeout'] },
      'the manager has stopped, but other resources keep the process alive; close them',
    ]);
  });

  it('waits two more seconds for what was closing at a forced stop, and closes the rest', () => {
    const closed: string[] = [];
    const stop$ = new Subject<void>();
    const slow = { close: () => NEVER.pipe(finalize(() => closed.push(`${stage.clock.now()} recorder`))) };
    const last = { close: () => void closed.push(`${stage.clock.now()} client`) };
    stage.start({ controllers: [], stop$, closes: [slow, slow, last] });
    stop$.next();
    stage.clock.advance(1_000);
    stop$.next();
    expect(stage.lines.at(-1)).toBe('1000 complete');
    stage.clock.advance(10_000);
    expect(closed).toEqual(['3000 recorder', '3000 recorder', '3000 client']);
    expect(stage.clock.timers).toBe(0);
  });

  it('stops at once when it is unsubscribed from, releases the lease and closes everything', () => {
    const closed: string[] = [];
    const subscription = stage.start({
      controllers: [stage.runs('web', stage.settings(), 60_000)],
      leader: stage.leader(),
      health: {},
      closes: [{ close: () => void closed.push(stage.holder() ?? '') }],
    });
    stage.clock.advance(1_000);
    subscription.unsubscribe();
    expect(stage.lines.at(-1)).toBe('1000 port closed');
    expect(closed).toEqual(['']);
    expect({ open: stage.client.open, timers: stage.clock.timers }).toEqual({ open: 0, timers: 0 });
  });
});

describe('manager: when something fails', () => {
  it('stops everything with exit code 1 if a controller completes by itself', async () => {
    const lost = stage.settings();
    const running = stage.run({
      controllers: [stage.runs('web', lost), stage.runs('db', stage.settings(), 1_000)],
      leader: stage.leader(),
    });
    stage.clock.advance(500);
    lost.stop();
    stage.clock.advance(1_000);
    expect(stage.lines.at(-1)).toBe('1000 db has run default/settings');
    expect(await running).toBe(1);
    expect(stage.exitCodes).toEqual([1]);
    expect(stage.holder()).toBe('');
  });

  it('names the controller and the collection that ended', () => {
    const cache = stage.settings();
    const failures: unknown[] = [];
    const events$ = stage.manager({ controllers: [stage.runs('web', cache)] });
    events$.subscribe((event) => event.type === 'failed' && failures.push(event.error));
    cache.stop();
    expect(failures).toEqual([errorWith('RXI_CONTROLLER_ENDED')]);
    expect(String(failures[0])).toBe(
      'RXI_CONTROLLER_ENDED: the controller web ended by itself: the collection of for was stopped, or its source completed',
    );
  });

  it('stops as asked, with exit code 0, if a controller is stopped by its own stop()', () => {
    const web = stage.runs('web', stage.settings());
    stage.start({ controllers: [web, stage.runs('db', stage.settings())] });
    stage.clock.advance(0);
    web.stop();
    expect(stage.lines.slice(-4)).toEqual([
      '0 stopping: stop',
      '0 db stopped, 0 aborted',
      '0 stopped after 0 with 0',
      '0 complete',
    ]);
  });

  it.each([
    ['completes', () => EMPTY, 'RXI_ELECTION_ENDED'],
    ['fails', () => throwError(() => new Error('no lease')), 'Error: no lease'],
  ])('stops everything with exit code 1 if the election %s', (_, election, error) => {
    const leader = Object.assign(election(), { released$: EMPTY, checkHealth: () => undefined });
    stage.start({ controllers: [stage.runs('web', stage.settings())], leader });
    const [ready, failed, ...rest] = stage.lines;
    expect(ready).toBe('0 ready');
    expect(failed).toContain(`0 failed: ${error}`);
    expect(rest).toEqual(['0 stopping: failed', '0 stopped after 0 with 1', '0 complete']);
    expect(electionEndedError().message).toContain('can no longer lead');
  });

  it('stops everything with exit code 1 if stop$ fails', () => {
    const stop$ = throwError(() => new Error('pipe broke'));
    stage.start({ controllers: [], stop$ });
    expect(stage.lines).toEqual([
      '0 failed: Error: pipe broke',
      '0 stopping: failed',
      '0 stopped after 0 with 1',
      '0 complete',
    ]);
    expect(stage.client.requests).toEqual([]);
  });

  it('closes the rest if something cannot be closed, and ends with exit code 1', () => {
    const closed: string[] = [];
    const stop$ = new Subject<void>();
    const broken = () => {
      throw new Error('cannot close');
    };
    stage.start({
      controllers: [],
      stop$,
      closes: [
        { close: broken },
        { close: () => throwError(() => new Error('nor this')) },
        { close: () => void closed.push('client') },
      ],
    });
    stop$.next();
    expect(stage.lines.slice(-4)).toEqual([
      '0 failed: Error: cannot close',
      '0 failed: Error: nor this',
      '0 stopped after 0 with 1',
      '0 complete',
    ]);
    expect(closed).toEqual(['client']);
  });

  it('continues if its logger throws', async () => {
    const broken = () => {
      throw new Error('disk full');
    };
    const stop$ = new Subject<void>();
    const running = stage.run({
      controllers: [],
      stop$,
      logger: { debug: broken, info: broken, warn: broken, error: broken },
    });
    stop$.next();
    expect(await running).toBe(0);
  });
});

describe('the HTTP endpoints of a manager', () => {
  const served = (options: Partial<ManagerOptions>) => {
    stage.start({ controllers: [stage.runs('web', stage.settings())], health: {}, ...options });
    stage.clock.advance(0);
  };

  it('are not ready while a cache has not synced, and name it with the reason', () => {
    stage.server.faults.always(({ path }) => path.endsWith('/configmaps'), serverFaults.respond(403));
    served({ leader: stage.leader() });
    const { status, body } = stage.get('/readyz');
    expect(status).toBe(503);
    expect(body).toMatch(/^web: for: listing configmaps failed: .*403/);
    expect(stage.get('/healthz').status).toBe(200);
  });

  it('are unhealthy while a check throws, rejects or returns an error, and name each', () => {
    let problem = undefined as Error | undefined;
    served({
      health: {
        checks: {
          disk: () => problem,
          queue: () => {
            if (problem) throw problem;
          },
          link: () => (problem ? throwError(() => problem) : EMPTY),
        },
      },
    });
    expect(stage.get('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
    problem = new Error('full');
    expect(stage.get('/healthz')).toMatchObject({ status: 503, body: 'disk: full\nqueue: full\nlink: full\n' });
  });

  it('L7: are unhealthy if the leader has not noticed that its lease expired', () => {
    const leader = Object.assign(NEVER, {
      released$: EMPTY,
      checkHealth: () => new Error('the lease expired') as never,
    });
    served({ leader });
    expect(stage.get('/healthz')).toMatchObject({ status: 503, body: 'leader election: the lease expired\n' });
  });

  it('serve metrics in their own format, and 500 if they fail', () => {
    let isBroken = false;
    const metrics = {
      contentType: 'text/plain; version=0.0.4',
      metrics: () => {
        if (isBroken) throw new Error('no figures');
        return 'up 1\n';
      },
    };
    served({ health: undefined, metrics });
    expect(stage.get('/metrics')).toEqual({
      status: 200,
      headers: { 'content-type': 'text/plain; version=0.0.4' },
      body: 'up 1\n',
    });
    isBroken = true;
    expect(stage.get('/metrics')).toMatchObject({ status: 500, body: 'no figures\n' });
  });

  it.each([
    ['GET', '/healthz?verbose', 200],
    ['HEAD', '/readyz', 200],
    ['POST', '/healthz', 405],
    ['DELETE', '/readyz', 405],
    ['GET', '/metrics', 404],
    ['GET', '/', 404],
    ['GET', '/healthz/', 404],
    ['GET', '/constructor', 404],
    ['POST', '/nothing', 404],
  ])('respond to %s %s with %i', (method, path, status) => {
    served({});
    expect(stage.get(path, method).status).toBe(status);
  });

  it('name the supported methods and paths', () => {
    served({});
    expect(stage.get('/healthz', 'PUT').headers).toMatchObject({ allow: 'GET, HEAD' });
    expect(stage.get('/health').body).toBe('/health does not exist; available: /healthz, /readyz\n');
  });
});
