import { messageOf, RxInformersError } from '../../kubernetes/errors.js';
import { objectKey } from '../../kubernetes/keys.js';
import { type KubernetesObject, withKind } from '../../kubernetes/object.js';
import { kindOf } from '../../kubernetes/resource.js';
import type { LogFields, Logger } from '../../requests/logger.js';
import type { EventObject, ObjectReference } from './event-object.js';

/** What happened to an event. An event can have several outcomes, one after the other. */
export type RecordingOutcome =
  /** The API server has stored `event`: its first occurrence, or a new count of repeats. */
  | { readonly type: 'written'; readonly event: EventObject }
  /** A write failed and will be tried again. */
  | {
      readonly type: 'retrying';
      readonly event: EventObject;
      /** How often this write was tried so far. */
      readonly tries: number;
      /** Milliseconds until the next try. */
      readonly wait: number;
      readonly error: unknown;
    }
  /** A valid event that was dropped. */
  | {
      readonly type: 'dropped';
      /**
       * - `refused`: the API server refused the event, for example because of RBAC, or because the
       *   namespace is being deleted
       * - `retries-exhausted`: the API server could not be reached
       * - `queue-full`: 1000 other series are waiting
       * - `stopped`: the recorder was stopped before the write, or was already closing
       */
      readonly cause: 'refused' | 'retries-exhausted' | 'queue-full' | 'stopped';
      readonly event: EventObject;
      /** Occurrences that were not written. A later write of the same series includes them. */
      readonly occurrences: number;
      /** Why the last try failed; undefined if there was no try. */
      readonly error: unknown;
    }
  /** The arguments of `record` are not a valid event. This is an error in the program. */
  | {
      readonly type: 'dropped';
      readonly cause: 'invalid';
      readonly event: undefined;
      readonly occurrences: 1;
      readonly error: RxInformersError<'RXI_INVALID_EVENT_DETAILS'>;
    };

/** Writes one log line for an outcome: `debug` if the event was written, `warn` otherwise. */
export function logOutcome(logger: Logger, outcome: RecordingOutcome): void {
  switch (outcome.type) {
    case 'written':
      logger.debug(fieldsOf(outcome.event), 'event written');
      return;
    case 'retrying': {
      const { event, tries, wait, error } = outcome;
      logger.warn({ ...fieldsOf(event), tries, wait, error: messageOf(error) }, 'event not written; retrying');
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

export function invalidEventDetailsError(
  regarding: unknown,
  problem: string,
): RxInformersError<'RXI_INVALID_EVENT_DETAILS'> {
  const message = `cannot record an event${aboutText(regarding)}: ${problem}`;
  return new RxInformersError('RXI_INVALID_EVENT_DETAILS', message, { regarding, problem });
}

/** Returns ` about Pod web/a`, or an empty text without a name. Never throws. */
function aboutText(regarding: unknown): string {
  try {
    const object = (regarding ?? {}) as Partial<ObjectReference> & Pick<KubernetesObject, 'metadata'>;
    const key = objectKey({ metadata: object.metadata ?? object });
    if (key === undefined) return '';
    const { kind } = kindOf(object);
    return ` about ${withKind(key, kind)}`;
  } catch {
    return '';
  }
}
