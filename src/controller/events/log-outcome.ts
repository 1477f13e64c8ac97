import { messageOf } from '../../kubernetes/message-of.js';
import type { LogFields, Logger } from '../logger.js';
import type { EventObject } from './event-object.js';
import type { RecordingOutcome } from './recording-outcome.js';

/** One line for each outcome: `debug` for what is written, `warn` for what fails. */
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
