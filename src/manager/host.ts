import { fromEvent, map, merge, type Observable } from 'rxjs';
import { httpServer, type Address, type Responder } from './http/http-server.js';

/** What a manager needs of the process that it runs in. A test passes its own. */
export interface Host {
  /** Serves HTTP while subscribed; emits the port once it listens. */
  readonly serve: (address: Address, respond: Responder) => Observable<number>;
  /** The signals that ask a process to stop. While it is subscribed to, they do not end the process by themselves. */
  readonly signals$: Observable<string>;
  readonly setExitCode: (code: number) => void;
  /**
   * Calls back after two seconds with what keeps the process alive then. Does not keep it alive
   * itself, so the call may never happen. An informer without subscribers stays connected for one
   * second (`linger`), which is nothing to warn of.
   */
  readonly whenStillAlive: (tell: (resources: readonly string[]) => void) => void;
}

const wait = 2_000;

/** The process that this code runs in. */
export const processHost: Host = {
  serve: httpServer,
  signals$: merge(
    ...(['SIGTERM', 'SIGINT'] as const).map((signal) => fromEvent(process, signal).pipe(map(() => signal))),
  ),
  setExitCode: (code) => (process.exitCode = code),
  whenStillAlive: (tell) => {
    setTimeout(() => {
      tell(process.getActiveResourcesInfo());
    }, wait).unref();
  },
};
