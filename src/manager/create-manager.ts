import { lastValueFrom, NEVER, Observable, tap, throttleTime } from 'rxjs';
import { writeLines } from '../controller/contained.js';
import type { LogLine } from '../controller/logger.js';
import type { Host } from './host.js';
import { Life } from './life.js';
import { logLine } from './log-events.js';
import type { ManagerEvent } from './manager-event.js';
import { checkedOptions, type ManagerOptions } from './manager-options.js';
import type { Manager } from './manager.js';

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
