import type { EventObject } from './event-object.js';
import { messageOf, RxInformersError } from '../../kubernetes/errors.js';
import type { LogFields, Logger } from '../logger.js';

/** Says what became of an event, in the order in which it happens. */
export type RecordingOutcome = EventWritten | EventRetried | EventDropped;

/** The API server has the event as it is here: the first one, or a new count of its repeats. */
export interface EventWritten {
  readonly type: 'written';
  readonly event: EventObject;
}

/** A write failed and is tried again. */
export interface EventRetried {
  readonly type: 'retrying';
  readonly event: EventObject;
  /** How often this write was tried. */
  readonly tries: number;
  /** Milliseconds until the next try. */
  readonly wait: number;
  readonly error: unknown;
}

/** An event that is not written. */
export type EventDropped = EventLost | EventRefused;

/** A valid event that is not written. */
export interface EventLost {
  readonly type: 'dropped';
  /**
   * `refused`: the API server refused it (RBAC, a namespace that is being deleted).
   * `retries-exhausted`: the API server could not be reached. `queue-full`: 1000 others wait.
   * `spam`: the spam filter. `stopped`: the recorder was stopped before, or was already closing.
   */
  readonly cause: 'refused' | 'retries-exhausted' | 'queue-full' | 'spam' | 'stopped';
  readonly event: EventObject;
  /**
   * The number of occurrences that the API server does not know. A later write of the same series
   * includes them.
   */
  readonly occurrences: number;
  /** Why the last try failed; undefined if there was none. */
  readonly error: unknown;
}

/** The arguments of `record` are not a valid event: an error in the program. */
export interface EventRefused {
  readonly type: 'dropped';
  readonly cause: 'invalid';
  readonly event: undefined;
  readonly occurrences: 1;
  readonly error: InvalidEventDetailsError;
}

/** Writes one line for each outcome: `debug` if it was written, `warn` if it failed. */
export function logOutcome(logger: Logger, outcome: RecordingOutcome): void {
  switch (outcome.type) {
    case 'written':
      logger.debug(fieldsOf(outcome.event), 'event written');
      return;
    case 'retrying': {
      const { event, tries, wait, error } = outcome;
      logger.warn({ ...fieldsOf(event), tries, wait, error: messageOf(error) }, 'event not written; will be retried');
      return;
    }
    case 'dropped': {
      const { event, cause, occurrences, error } = outcome;
      const why = error === undefined ? {} : { error: messageOf(error) };
      logger.warn({ ...(event && fieldsOf(event)), cause, occurrences, ...why }, 'event dropped');
      return;
    }
    default:
      outcome satisfies never;
  }
}

function fieldsOf({ metadata, type, reason, regarding, series }: EventObject): LogFields {
  const { kind, namespace, name } = regarding;
  return {
    event: `${metadata.namespace}/${metadata.name}`,
    regarding: namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`,
    type,
    reason,
    count: series?.count ?? 1,
  };
}

/**
 * An event has fields that the API server would refuse; it was not sent.
 *
 * **What to do**: Correct the call; the message names the field.
 */
export class InvalidEventDetailsError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_EVENT_DETAILS';
  override readonly name = 'InvalidEventDetailsError';
  constructor(
    /** What the event should have been about, as it was given. */
    readonly regarding: unknown,
    /** What is wrong, for example `the reason is empty`. */
    readonly problem: string,
  ) {
    super(`the event cannot be recorded: ${problem}`);
  }
}
