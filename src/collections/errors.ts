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
export type InformerError = SourceError | StoreError | HandlerError | SelectError;

/**
 * An event handler, or its option `where`, threw. Other handlers, and later events of this handler,
 * are not affected (I7).
 *
 * **What to do**: Correct the handler; `cause` is the error that it threw.
 */
export class HandlerError extends RxInformersError {
  static override readonly code = 'RXI_HANDLER';
  override readonly name = 'HandlerError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    readonly handler: 'onAdd' | 'onUpdate' | 'onDelete' | 'where',
    readonly key: string,
    override readonly cause: unknown,
    /** The kind of the object, for the message. */
    kind?: string,
  ) {
    super(`${handler} threw for ${withKind(key, kind)}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * A function of a query, such as the one passed to `select$`, threw. The stream keeps its last
 * value, and the function is called again for the next version.
 *
 * **What to do**: Correct the function; `cause` is the error that it threw.
 */
export class SelectError extends RxInformersError {
  static override readonly code = 'RXI_SELECT';
  override readonly name = 'SelectError';
  /** Always false: a person should look at this error. */
  readonly expected = false;
  constructor(
    /** The version of the snapshot for which the function threw. */
    readonly version: number,
    override readonly cause: unknown,
  ) {
    super(
      `a function passed to select$ threw for version ${version}; the stream keeps its last value: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * A promise such as `whenSynced`, `whenObserved` or `until` was rejected, because the informer is
 * not running, or because it stopped before the promise could resolve.
 *
 * **What to do**: Call `connect()` or subscribe first. If the informer was stopped on purpose,
 * ignore the error.
 *
 * **Expected**: during shutdown.
 */
export class NotRunningError extends RxInformersError {
  static override readonly code = 'RXI_NOT_RUNNING';
  override readonly name = 'NotRunningError';
  constructor(
    readonly when: 'never-started' | 'stopped-before-synced' | 'stopped-before-observed' | 'stopped-before-met',
  ) {
    super(messages[when]);
  }
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

/**
 * Thrown by `useInformer` if each render creates the functions of its options again, and by a
 * registry after repeated requests with functions that have the same text but are not identical.
 * Each such request would start another cache and another watch.
 *
 * **What to do**: Define the request once, with `defineRequest`, outside of the code that uses it.
 */
export class UnstableRequestError extends RxInformersError {
  static override readonly code = 'RXI_UNSTABLE_REQUEST';
  override readonly name = 'UnstableRequestError';
  constructor(
    readonly resource: string,
    /** The names of the options whose functions are new in each call. */
    readonly options: readonly string[],
  ) {
    super(
      `${resource}: each call creates the functions in ${options.join(', ')} again, and would start ` +
        `another cache and another watch; define the request once, outside of the code that uses it: const request = defineRequest(${resource}, { … })`,
    );
  }
}
