import type { LogLine } from '../controller/logger.js';
import type { ReconcileEvent } from '../controller/reconcile/reconcile-event.js';

/** The events of a manager, in the order in which they happen. */
export type ManagerEvent =
  /** The port for health and metrics is open. Emitted only with `health` or `metrics`. */
  | {
      readonly type: 'listening';
      /** The configured host; `undefined` for all addresses of this machine. */
      readonly host: string | undefined;
      /** The open port. If port 0 was configured, it is the port that the system chose. */
      readonly port: number;
    }
  /** A controller emitted an event. */
  | {
      readonly type: 'controller';
      /** The name of the controller. */
      readonly name: string;
      readonly event: ReconcileEvent;
    }
  /** All caches have synced, or at least one is no longer synced. */
  | {
      readonly type: 'readiness';
      readonly isReady: boolean;
      /** One sentence for each cache that has not synced. Empty if the process is ready. */
      readonly reasons: readonly string[];
    }
  /** A part that the manager needs has failed, or an object in `closes` could not be closed. */
  | {
      readonly type: 'failed';
      /** An `RXI_LISTEN`, `RXI_CONTROLLER_ENDED`, `RXI_ELECTION_ENDED`, or what was thrown. */
      readonly error: unknown;
    }
  /** Everything is being stopped, within the grace period. */
  | {
      readonly type: 'stopping';
      /** The cause: a signal, a value of `stop$`, or the failure before this event. */
      readonly cause: 'signal' | 'stop' | 'failed';
      /** The signal, if it was the cause: `SIGTERM` or `SIGINT`. */
      readonly signal: string | undefined;
    }
  /** The last event. Completion follows. */
  | {
      readonly type: 'stopped';
      /**
       * - 0: stopped as asked; all work was finished
       * - 1: something failed
       * - 2: stopped as asked, but cut off: the grace period had passed, or there was a second
       * signal
       */
      readonly exitCode: 0 | 1 | 2;
      /** The milliseconds since the event `stopping`. */
      readonly took: number;
    };

/** The events of one type. */
export type ManagerEventOf<Type extends ManagerEvent['type']> = Extract<ManagerEvent, { readonly type: Type }>;

/** Undefined for events of controllers, which write their own lines. */
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
      if (isReady) return { level: 'info', message: 'the process is ready', fields: {} };
      return { level: 'info', message: 'the process is not ready', fields: { reasons } };
    }
    case 'failed':
      return { level: 'error', message: 'a part of the process failed', fields: { error: event.error } };
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
