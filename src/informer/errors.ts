import { RxInformersError, messageOf } from '../kubernetes/errors.js';
import type { SourceError } from '../sources/model/errors.js';
import type { StoreError } from '../store/errors.js';

/**
 * Everything that an informer reports on `errors$`. The informer goes on by itself after each of
 * them.
 *
 * `expected` is true for an error that is handled by design, such as the 410 of a watch that leads
 * to a list. `SourceError`
 * has the rule of each class. Alert a person, or log at `error`, only if it is false.
 */
export type InformerError = SourceError | StoreError | HandlerError | SelectError;

/**
 * An event handler, or its option `where`, threw; other handlers and later events of this handler are not affected (I7).
 *
 * **What to do**: Correct the handler; `cause` is what it threw.
 */
export class HandlerError extends RxInformersError {
  static override readonly code = 'RXI_HANDLER';
  override readonly name = 'HandlerError';
  /** A person should look at it. */
  readonly expected = false;
  constructor(
    readonly handler: 'onAdd' | 'onUpdate' | 'onDelete' | 'where',
    readonly key: string,
    override readonly cause: unknown,
  ) {
    super(`${handler} threw for ${key}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * A function given to `select$` threw. The stream keeps its last value, and the next version is
 * tried again.
 *
 * **What to do**: Correct the function; `cause` is what it threw.
 */
export class SelectError extends RxInformersError {
  static override readonly code = 'RXI_SELECT';
  override readonly name = 'SelectError';
  /** A person should look at it. */
  readonly expected = false;
  constructor(
    /** The version of the snapshot for which it threw. */
    readonly version: number,
    override readonly cause: unknown,
  ) {
    super(
      `a function given to select$ threw for version ${version}; the stream keeps its last value: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/**
 * A promise such as `whenSynced`, `whenObserved` or `until` was requested of an informer that is not
 * running, or that stopped before it could answer.
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
  'never-started':
    'the informer is not running and would never sync or observe anything: call connect(), or subscribe to it, first',
  'stopped-before-synced':
    'the informer stopped before it had synced: its last subscriber left, stop() was called, or its source completed',
  'stopped-before-observed':
    'the informer stopped before it had observed the write: its last subscriber left, stop() was called, or its source completed',
  'stopped-before-met':
    'the informer stopped before the object met the condition of until(): stop() was called, or its source completed',
};

/**
 * Thrown by a lister if there is no object under the key: the API server's NotFound, answered by
 * the cache (S16).
 *
 * **What to do**: Handle it as the absence of the object. Use `get` of the collection if absence
 * is normal: it returns `undefined`.
 *
 * **Expected**: where an object may have been deleted.
 */
export class ObjectNotFoundError extends RxInformersError {
  static override readonly code = 'RXI_OBJECT_NOT_FOUND';
  override readonly name = 'ObjectNotFoundError';
  constructor(
    readonly resource: string,
    readonly key: string,
  ) {
    super(`${resource} ${JSON.stringify(key)} not found in the cache`);
  }
}

/**
 * Thrown by a registry that is requested again and again with functions that have the same text
 * and are not the same. Each request would start another cache and another watch.
 *
 * **What to do**: Declare the functions once, outside of the code that requests the informer.
 */
export class UnstableRequestError extends RxInformersError {
  static override readonly code = 'RXI_UNSTABLE_REQUEST';
  override readonly name = 'UnstableRequestError';
  constructor(
    readonly resource: string,
    /** The names of the options that are another function each time. */
    readonly options: readonly string[],
  ) {
    super(
      `${resource}: too many informers that differ only in ${options.join(', ')}: a function that is written where the informer is asked for is ` +
        'another one each time, and each time it is another cache and another watch; define it once, outside',
    );
  }
}
