import { RxInformersError, messageOf } from '../kubernetes/errors.js';
import { withKind } from '../kubernetes/object.js';
import type { SourceError } from '../sources/model/errors.js';
import type { StoreError } from '../store/errors.js';

/**
 * All errors that `errors$` can emit. The informer continues by itself after each of them.
 *
 * `expected` is true for an error that is handled by design, such as the 410 of a watch that leads
 * to a list. Alert a person, or log at `error`, only if `expected` is false. The rule of each class
 * is documented at `SourceError`.
 */
export type InformerError = SourceError | StoreError | RxInformersError<'RXI_HANDLER'> | RxInformersError<'RXI_SELECT'>;

export function handlerError(
  handler: 'onAdd' | 'onUpdate' | 'onDelete' | 'where',
  key: string,
  cause: unknown,
  kind?: string,
): RxInformersError<'RXI_HANDLER'> {
  const message = `${handler} threw for ${withKind(key, kind)}: ${messageOf(cause)}`;
  return new RxInformersError('RXI_HANDLER', message, { handler, key, cause, expected: false });
}

export function selectError(version: number, cause: unknown): RxInformersError<'RXI_SELECT'> {
  const message = `a function passed to select$ threw for version ${version}; the stream keeps its last value: ${messageOf(cause)}`;
  return new RxInformersError('RXI_SELECT', message, { version, cause, expected: false });
}

export function notRunningError(
  when: 'never-started' | 'stopped-before-synced' | 'stopped-before-observed' | 'stopped-before-met',
): RxInformersError<'RXI_NOT_RUNNING'> {
  return new RxInformersError('RXI_NOT_RUNNING', messages[when], { when });
}

const messages = {
  'never-started': 'the informer is not running, so it would never sync; call connect() or subscribe to it first',
  'stopped-before-synced':
    'the informer stopped before it had synced: its last subscriber left, stop() was called, or its source completed',
  'stopped-before-observed':
    'the informer stopped before it had observed the write: its last subscriber left, stop() was called, or its source completed',
  'stopped-before-met':
    'the informer stopped before the object met the condition of until(): stop() was called, or its source completed',
};

export function impureFunctionError(
  method: 'apply' | 'addIndexers',
  message: string,
): RxInformersError<'RXI_IMPURE_FUNCTION'> {
  return new RxInformersError('RXI_IMPURE_FUNCTION', message, { method });
}

export function unstableRequestError(
  resource: string,
  options: readonly string[],
): RxInformersError<'RXI_UNSTABLE_REQUEST'> {
  const message =
    `${resource}: each call creates the functions in ${options.join(', ')} again, and would start ` +
    `another cache and another watch; define the request once, outside of the code that uses it: const request = defineRequest(${resource}, { … })`;
  return new RxInformersError('RXI_UNSTABLE_REQUEST', message, { resource, options });
}
