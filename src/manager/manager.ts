import { Observable, lastValueFrom, NEVER, tap, throttleTime } from 'rxjs';
import { processHost, type Host } from './host.js';
import { type ManagerEvent, logLine } from './manager-event.js';
import { type ManagerOptions, checkedOptions } from './manager-options.js';
import { writeLines } from '../controller/contained.js';
import type { LogLine } from '../controller/logger.js';
import { Life } from './life.js';

/** What `manager` returns: everything that a process of controllers is made of. */
export interface Manager extends Observable<ManagerEvent> {
  /**
   * Runs it as the task of this process: starts it, stops it on SIGTERM and SIGINT, and sets `process.exitCode`. Resolves with
   * the exit code when everything has stopped.
   *
   * A second signal stops it at once; one that follows within 300 ms is the same signal, because npm passes on what the terminal
   * has sent already. A signal after that ends the process as if there was no manager. It never calls `process.exit`: the process ends when nothing is left running. If something keeps it alive
   * for a second longer, a warning says what.
   */
  run(): Promise<number>;
}

/**
 * Makes a process of controllers: serves health and metrics, keeps caches warm, competes for leadership, runs the controllers, and
 * stops all of it in reverse.
 *
 * | step | starting | stopping |
 * | --- | --- | --- |
 * | 1 | opens the port of `health` | asks the controllers to stop; they finish what is running and queued |
 * | 2 | connects all caches | gives the lease back |
 * | 3 | competes for leadership, if there is a `leader` | disconnects the caches |
 * | 4 | runs the controllers, while this replica leads | closes what `closes` names, one after another |
 * | 5 | | closes the port |
 *
 * | path | 200 if | otherwise 503 with |
 * | --- | --- | --- |
 * | `/healthz` | `leader.checkHealth()` and all `checks` are well | a line for each that is not |
 * | `/readyz` | all caches have synced, and nothing is being stopped. A replica on standby is ready | a line for each cache that has not, with the reason |
 * | `/metrics` | there are `metrics` | 404 |
 *
 * Everything is stopped if it is asked to (a signal, `stop$`), or if it cannot do its work any more: the port is taken, a controller
 * ended because one of its collections did, the election ended, `stop$` failed.
 *
 * | exit code | meaning |
 * | --- | --- |
 * | 0 | stopped as asked; all work was finished |
 * | 1 | something failed: the event `failed` and an error in the log say what |
 * | 2 | stopped as asked, but cut off: `gracePeriod` was over, or it was asked a second time |
 *
 * Subscribe to it to run it inside a larger program, which then handles signals itself; unsubscribing stops it at once. It runs
 * once: its controllers stay stopped.
 *
 * **Guarantees**: the Observable never errors. Before the port is open nothing else has started, so a replica that cannot serve has
 * not joined the election. The lease is given back after the controllers have finished or were aborted. After `stopped` no timer,
 * no request and no listener of the manager is left. If it was cut off, or unsubscribed, giving the lease back and closing may go on
 * for two seconds.
 * **Does not guarantee**: that the process ends if something else keeps it alive, such as a promise of a run that ignores its signal.
 * **Errors**: a `RangeError` or `TypeError` at once for options that make no sense.
 *
 * @example
 * import { hostname } from 'node:os';
 * import { register } from 'prom-client';
 * import { leader$, type Controller } from 'rx-informers/controller';
 * import { consoleLogger, kubeClient, manager } from 'rx-informers/node';
 *
 * declare const websites: Controller;
 *
 * const client = kubeClient(kubeConfig);
 * const logger = consoleLogger();
 * const lease = { namespace: 'web', name: 'website-operator' };
 *
 * await manager({
 *   controllers: [websites],
 *   leader: leader$(client, { lease, identity: hostname(), logger }),
 *   health: { port: 8080 },
 *   metrics: register,
 *   closes: [client],
 *   logger,
 * }).run();
 */
export function manager(options: ManagerOptions): Manager {
  return createManager(options, processHost);
}

/** Signals within so many milliseconds are one: a terminal sends it to npm and to this process, and npm passes it on. */
const sameSignal = 300;

/** Makes a manager for a process that the caller describes. */
export function createManager(options: ManagerOptions, host: Host): Manager {
  const checked = checkedOptions(options);
  const { logger, scheduler } = checked;
  const log = (line: LogLine | undefined): void => {
    if (line) writeLines(logger, [line]);
  };

  const life$ = (signals$: Observable<string>): Observable<ManagerEvent> =>
    new Observable<ManagerEvent>((subscriber) => {
      const life = new Life(checked, host.serve, subscriber);
      subscriber.add(life);
      life.start(signals$);
    }).pipe(
      tap((event) => {
        log(logLine(event));
      }),
    );

  const run = async (): Promise<number> => {
    const last = await lastValueFrom(life$(host.signals$.pipe(throttleTime(sameSignal, scheduler))));
    const exitCode = last.type === 'stopped' ? last.exitCode : 1;
    if (exitCode !== 0) host.setExitCode(exitCode);
    host.whenStillAlive((resources) => {
      const message = 'everything was stopped, but something else keeps the process alive';
      log({ level: 'warn', message, fields: { resources } });
    });
    return exitCode;
  };

  return Object.assign(life$(NEVER), { run });
}
