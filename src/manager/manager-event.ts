import type { ReconcileEvent } from '../controller/reconcile/reconcile-event.js';
import type { LogLine } from '../controller/logger.js';

/** What a manager emits, in the order in which it happens. */
export type ManagerEvent =
  ManagerListening | ManagedControllerEvent | ManagerReadiness | ManagerFailed | ManagerStopping | ManagerStopped;

/** Health and metrics are served. Only with the option `health` or `metrics`. */
export interface ManagerListening {
  readonly type: 'listening';
  /** As it was configured; undefined for all addresses of this machine. */
  readonly host: string | undefined;
  /** The port that was opened, also if 0 was asked for. */
  readonly port: number;
}

/** A controller emitted something. */
export interface ManagedControllerEvent {
  readonly type: 'controller';
  /** The name of the controller. */
  readonly name: string;
  readonly event: ReconcileEvent;
}

/** All caches have synced for the first time, or have not any more, or have again. */
export interface ManagerReadiness {
  readonly type: 'readiness';
  readonly isReady: boolean;
  /** Why not: one sentence for each cache that is missing. Empty if it is ready. */
  readonly reasons: readonly string[];
}

/** Something failed that the manager cannot continue without, or that could not be closed. */
export interface ManagerFailed {
  readonly type: 'failed';
  /** A `ListenError`, a `ControllerEndedError`, an `ElectionEndedError`, or what was thrown. */
  readonly error: unknown;
}

/** Everything is being stopped, within the grace period. */
export interface ManagerStopping {
  readonly type: 'stopping';
  /** A signal arrived, `stop$` emitted, or the failure before this event. */
  readonly cause: 'signal' | 'stop' | 'failed';
  /** Which signal: `SIGTERM` or `SIGINT`. */
  readonly signal: string | undefined;
}

/** The last event. Completion follows. */
export interface ManagerStopped {
  readonly type: 'stopped';
  /**
   * - 0: stopped as asked; all work was finished
   * - 1: something failed
   * - 2: stopped as asked, but cut off: the grace period was over, or there was a second signal
   */
  readonly exitCode: 0 | 1 | 2;
  /** How long it took since `stopping`, in milliseconds. */
  readonly took: number;
}

/** Returns what a log says of an event. Controllers log for themselves. */
export function logLine(event: ManagerEvent): LogLine | undefined {
  switch (event.type) {
    case 'listening': {
      const { port, host } = event;
      return { level: 'info', message: 'serving health and metrics', fields: { port, host } };
    }
    case 'controller':
      return undefined;
    case 'readiness': {
      const { isReady, reasons } = event;
      if (isReady) return { level: 'info', message: 'ready', fields: {} };
      return { level: 'info', message: 'not ready', fields: { reasons } };
    }
    case 'failed':
      return { level: 'error', message: 'failed', fields: { error: event.error } };
    case 'stopping': {
      const { cause, signal } = event;
      return { level: 'info', message: 'stopping the process', fields: { cause, signal } };
    }
    case 'stopped': {
      const { exitCode, took } = event;
      return { level: 'info', message: 'stopped the process', fields: { exitCode, took } };
    }
    default:
      return event satisfies never;
  }
}
