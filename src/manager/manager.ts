import { Observable, lastValueFrom, NEVER, tap, throttleTime } from 'rxjs';
import type { LogLine } from '../controller/logger.js';
import { writeLines } from '../controller/safe-hooks.js';
import { processHost, type Host } from './host.js';
import { type ManagerEvent, logLine } from './manager-event.js';
import { type ManagerOptions, checkedManagerOptions } from './manager-options.js';
import { ManagerRun } from './manager-run.js';

/** Runs the controllers of a process, and emits what happens. Created by {@link manager}. */
export interface Manager extends Observable<ManagerEvent> {
  /**
   * Runs the manager as the main task of this process: starts it, stops it on SIGTERM and SIGINT,
   * and sets `process.exitCode`. Resolves with the exit code when everything has stopped.
   *
   * A second signal stops everything at once. Signals within 300 ms count as one, because npm
   * passes on a signal that the terminal has already sent. A third signal ends the process as if
   * there were no manager. `run` never calls `process.exit`: the process ends when nothing is left
   * running. If a timer or a connection keeps the process alive, a warning names it after two
   * seconds.
   *
   * @returns a promise of the exit code
   */
  run(): Promise<number>;
}

/**
 * Creates a manager, which runs all controllers of a process. It serves health and metrics, keeps
 * caches warm, competes for leadership, runs the controllers, and stops everything in order.
 *
 * | step | starting | stopping |
 * | --- | --- | --- |
 * | 1 | opens the port of `health` | asks the controllers to stop; they finish running and queued work |
 * | 2 | connects all caches | releases the lease |
 * | 3 | competes for leadership, if there is a `leader` | disconnects the caches |
 * | 4 | runs the controllers, while this replica leads | closes the objects in `closes`, one after another |
 * | 5 | | closes the port |
 *
 * | path | responds with 200 if | otherwise responds with |
 * | --- | --- | --- |
 * | `/healthz` | `leader.checkHealth()` and all `checks` succeed | 503, with a line for each check that fails |
 * | `/readyz` | all caches have synced, and nothing is being stopped. A replica on standby is ready | 503, with a line for each cache that has not synced, and the reason |
 * | `/metrics` | the option `metrics` is set | 404 |
 *
 * The manager stops on request (a signal, `stop$`), or if it can no longer work: the port is in
 * use, a controller ended because one of its collections ended, the election ended, or `stop$`
 * failed.
 *
 * | exit code | meaning |
 * | --- | --- |
 * | 0 | stopped as asked; all work was finished |
 * | 1 | something failed; see the event `failed`, and the error in the log |
 * | 2 | stopped as asked, but cut off: `gracePeriod`, or that of a controller, was over, or there was a second request |
 *
 * To run a manager inside a larger program that handles signals itself, subscribe to the manager.
 * Unsubscribing stops it at once. A manager runs only once, because its controllers stay stopped.
 *
 * **Guarantees**: The Observable never errors. Nothing else starts before the port is open, so a
 * replica that cannot serve does not join the election. The lease is released after the controllers
 * have finished or were aborted. After `stopped`, no timer, request or listener of the manager is
 * left. If the stop was cut off, or after unsubscribing, releasing the lease and closing may take
 * two more seconds.
 *
 * **Does not guarantee**: that the process ends if something else keeps the process alive, such as
 * a promise of a run that ignores its signal.
 *
 * @param options the controllers, and the other parts of the process; see {@link ManagerOptions}
 * @returns a stream of events; call `run()` if the manager is the main task of the process
 * @throws `RXI_INVALID_OPTION` at once, if an option is invalid
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

/** In milliseconds, signals count as one: a terminal also signals npm, which passes it on. */
const sameSignal = 300;

/** Creates a manager for a process that the caller describes. */
export function createManager(options: ManagerOptions, host: Host): Manager {
  const checked = checkedManagerOptions(options);
  const { logger, scheduler } = checked;
  const log = (line: LogLine | undefined): void => {
    if (line) writeLines(logger, [line]);
  };

  const run$ = (signals$: Observable<string>): Observable<ManagerEvent> =>
    new Observable<ManagerEvent>((subscriber) => {
      const run = new ManagerRun(checked, host.serve, subscriber);
      subscriber.add(run);
      run.start(signals$);
    }).pipe(tap((event) => log(logLine(event))));

  const run = async (): Promise<number> => {
    const last = await lastValueFrom(run$(host.signals$.pipe(throttleTime(sameSignal, scheduler))));
    const exitCode = last.type === 'stopped' ? last.exitCode : 1;
    if (exitCode !== 0) host.setExitCode(exitCode);
    host.whenStillAlive((resources) => {
      const message = 'the manager has stopped, but other resources keep the process alive; close them';
      log({ level: 'warn', message, fields: { resources } });
    });
    return exitCode;
  };

  return Object.assign(run$(NEVER), { run });
}
