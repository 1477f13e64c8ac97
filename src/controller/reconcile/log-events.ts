import { Subscription, type Observable, type SchedulerLike } from 'rxjs';
import type { InformerError } from '../../collections/errors.js';
import { isSilent, type Logger } from '../../requests/logger.js';
import { wallTime } from '../../scheduling/clock.js';
import { isOfConnection } from '../../sources/model/errors.js';
import { type LogLine, loggerWith } from '../logger.js';
import { hookFailedLine } from '../safe-hooks.js';
import type { RunFailed } from '../workqueue/workqueue-event.js';
import type { ReconcileEvent } from './reconcile-event.js';
import type { CachedSource } from './sources.js';

export interface RunLogOptions {
  readonly logger: Logger;
  /** True to log the errors of the caches, and how long they are waited for. */
  readonly hasCacheErrors: boolean;
  /** The prefix of the ids of runs, from `runPrefix`. */
  readonly prefix: string;
  /** Returns the object of a key from the cache. */
  readonly objectOf: (key: string) => unknown;
}

/** Logs the events of a controller; all lines of one run have the same `reconcileID`. */
export class RunLog {
  readonly #ids = new Map<string, string>();
  /** The last terminal failure of each key, until the key succeeds or fails otherwise. */
  readonly #failures = new Map<string, string>();
  #runs = 0;

  constructor(private readonly options: RunLogOptions) {}

  loggerOf(key: string): Logger {
    return loggerWith(this.options.logger, { key, reconcileID: this.#ids.get(key) });
  }

  /** Logs the errors that the caches report. */
  followErrors(sources: readonly CachedSource[]): Subscription {
    return this.options.hasCacheErrors ? logCacheErrors(sources, this.options.logger) : new Subscription();
  }

  write(event: ReconcileEvent): void {
    if (event.type === 'started') {
      this.#runs++;
      this.#ids.set(event.key, `${this.options.prefix}-${this.#runs}`);
    }
    const line = logLine(event);
    if (line && (this.options.hasCacheErrors || event.type !== 'waiting')) {
      const { logger } = this.options;
      const level = this.#isRepeated(event) ? 'debug' : line.level;
      if (!isSilent(logger, level)) logger[level](this.#withId(event, line.fields), line.message);
    }
    if (event.type === 'succeeded' || event.type === 'skipped' || event.type === 'failed') this.#ids.delete(event.key);
  }

  #withId(event: ReconcileEvent, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    switch (event.type) {
      case 'started':
      case 'succeeded':
      case 'skipped':
      case 'failed':
        return { ...fields, reconcileID: this.#ids.get(event.key) };
      default:
        return fields;
    }
  }

  /**
   * True for a terminal failure with the message and generation of the key's last failure: what
   * triggered the run, for example its own write of the status, did not change the result.
   */
  #isRepeated(event: ReconcileEvent): boolean {
    if (event.type === 'succeeded') this.#failures.delete(event.key);
    if (event.type !== 'failed') return false;
    const { metadata } = (this.options.objectOf(event.key) ?? {}) as ObjectWithGeneration;
    if (event.outcome !== 'terminal' || metadata?.generation === undefined) {
      this.#failures.delete(event.key);
      return false;
    }
    const failure = `${metadata.uid ?? ''} ${metadata.generation} ${String(event.error)}`;
    const isRepeated = this.#failures.get(event.key) === failure;
    this.#failures.set(event.key, failure);
    return isRepeated;
  }
}

/** The time of the last prefix, for each clock. */
const prefixTimes = new WeakMap<SchedulerLike, number>();

/**
 * Returns a prefix for the ids of runs: the time of day, which differs between processes. It also
 * differs between the controllers of one process, which are often created in the same millisecond.
 */
export function runPrefix(scheduler: SchedulerLike): string {
  const time = Math.max(wallTime(scheduler), (prefixTimes.get(scheduler) ?? -Infinity) + 1);
  prefixTimes.set(scheduler, time);
  return time.toString(36);
}

interface ObjectWithGeneration {
  readonly metadata?: { readonly uid?: string; readonly generation?: number };
}

export function logEvent(logger: Logger, event: ReconcileEvent): void {
  const line = logLine(event);
  if (line) logger[line.level](line.fields, line.message);
}

/** Logs `errors$` of the caches: as `debug` if expected or reported as `waiting`, else `error`. */
export function logCacheErrors(sources: readonly CachedSource[], logger: Logger): Subscription {
  const subscriptions = new Subscription();
  for (const { trigger, collection } of sources) {
    const { errors$ } = collection as { readonly errors$?: Observable<InformerError> };
    const subscription = errors$?.subscribe((error) => {
      const level = error.expected || isOfConnection(error) ? 'debug' : 'error';
      logger[level]({ trigger, error }, 'a cache reported an error');
    });
    subscriptions.add(subscription);
  }
  return subscriptions;
}

/** Returns the log line of an event; none for an emitted value, which may be anything. */
function logLine(event: ReconcileEvent): LogLine | undefined {
  switch (event.type) {
    case 'synced':
      return { level: 'info', message: 'all caches have synced', fields: { took: event.took } };
    case 'waiting': {
      // The error is left out: `logCacheErrors` logs it, and its stack adds nothing.
      const { trigger, resource, reason, hasSynced, waited } = event;
      return {
        level: 'warn',
        message: 'waiting for a cache',
        fields: { trigger, resource, reason, hasSynced, waited },
      };
    }
    case 'recovered': {
      const { trigger, resource, waited } = event;
      return { level: 'info', message: 'the cache works again', fields: { trigger, resource, waited } };
    }
    case 'sync-timeout': {
      const { after, reasons } = event;
      return { level: 'error', message: 'caches have not synced in time; still waiting', fields: { after, reasons } };
    }
    case 'started': {
      const { key, attempt, reasons, waited } = event;
      return { level: 'debug', message: 'reconciling', fields: { key, attempt, reasons, waited } };
    }
    case 'emitted':
      return undefined;
    case 'succeeded': {
      const { key, attempt, took, requeueAt } = event;
      return { level: 'debug', message: 'reconciled', fields: { key, attempt, took, requeueAt } };
    }
    case 'skipped': {
      const { key, attempt, because, took } = event;
      return { level: 'debug', message: 'reconcile skipped', fields: { key, attempt, because, took } };
    }
    case 'failed':
      return failedLine(event);
    case 'held':
    case 'released':
      return lineOfHold(event);
    case 'dropped': {
      const { key, reasons } = event;
      return {
        level: 'info',
        message: 'not reconciled, because the controller is stopping',
        fields: { key, reasons },
      };
    }
    case 'trigger-failed': {
      const { trigger, key, error, outcome } = event;
      return { level: 'error', message: failedTriggers[outcome], fields: { trigger, key, error, outcome } };
    }
    case 'hook-failed': {
      const { hook, error } = event;
      return hookFailedLine({ hook, error });
    }
    case 'stopping': {
      const { cause, trigger, error } = event;
      return {
        level: cause === 'stop' ? 'info' : 'error',
        message: 'stopping the controller',
        fields: { cause, trigger, error },
      };
    }
    case 'stopped': {
      const { took, aborted, dropped } = event;
      return { level: 'info', message: 'stopped the controller', fields: { took, aborted, dropped } };
    }
    default:
      return event satisfies never;
  }
}

const failures = {
  retry: { level: 'warn', message: 'reconcile failed; retrying' },
  stopping: { level: 'warn', message: 'reconcile failed; not retried, because the controller is stopping' },
  terminal: { level: 'error', message: 'reconcile failed; not retried until something changes' },
  'retries-exhausted': { level: 'error', message: 'reconcile failed; retries exhausted' },
} as const;

function failedLine({ key, attempt, error, took, retryAt, outcome }: RunFailed): LogLine {
  return { ...failures[outcome], fields: { key, attempt, error, took, retryAt } };
}

const failedTriggers = {
  skipped: 'a trigger failed and skipped this object or value',
  resubscribing: 'a trigger failed; subscribing to its collection again',
  ended: 'a trigger failed and has ended; its changes are no longer observed',
} as const;

const holds = {
  unsettled: 'the last run was aborted, but its promise has not settled; the key waits until it does',
  unobserved: 'a cache does not show the writes of the last run yet; the key waits until it does',
} as const;

function lineOfHold({ type, ...fields }: Extract<ReconcileEvent, { type: 'held' | 'released' }>): LogLine {
  if (type === 'held') return { level: 'warn', message: holds[fields.because], fields };
  if (fields.because === 'unsettled' || fields.writes.length === 0) {
    return { level: 'info', message: 'the key no longer waits', fields };
  }
  const message = 'a cache did not show the writes of the last run in time; the next run may read a stale cache';
  return { level: 'warn', message, fields };
}
