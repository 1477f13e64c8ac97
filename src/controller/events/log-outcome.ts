import { messageOf } from '../../kubernetes/message-of.js';
import type { LogFields, Logger } from '../logger.js';
import type { EventObject } from './event-object.js';
import type { RecordingOutcome } from './recording-outcome.js';

/** One line for each outcome: `debug` for what is written, `warn` for what fails. */
export function logOutcome(logger: Logger, outcome: RecordingOutcome): void {
  switch (outcome.type) {
    case 'written':
      logger.debug('event written', fieldsOf(outcome.event));
      return;
    case 'retrying': {
      const { event, tries, wait, error } = outcome;
      logger.warn('event not written, will be tried again', {
        ...fieldsOf(event),
        tries,
        wait,
        error: messageOf(error),
      });
      return;
    }
    case 'dropped': {
      const { event, cause, occurrences, error } = outcome;
      const why = error === undefined ? {} : { error: messageOf(error) };
      logger.warn('event dropped', { ...(event && fieldsOf(event)), cause, occurrences, ...why });
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
