import type { LogLine } from '../controller/logger.js';
import type { ManagerEvent } from './manager-event.js';

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
