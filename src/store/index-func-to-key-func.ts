import { RxInformersError } from '../kubernetes/rx-informers-error.js';
import type { KeyFunction } from '../kubernetes/key.js';
import type { IndexFunction } from './index-function.js';

/** An index function that should serve as a key function gave no value for an object, or several (S17). */
export class NotOneIndexValueError extends RxInformersError {
  static override readonly code = 'RXI_NOT_ONE_INDEX_VALUE';
  override readonly name = 'NotOneIndexValueError';
  constructor(
    readonly object: unknown,
    readonly values: readonly string[],
  ) {
    super(
      values.length === 0
        ? 'the index function gave no value, so the object has no key'
        : `the index function gave ${values.length} values, so the object has no single key: ${values.join(', ')}`,
    );
  }
}

/**
 * Makes a key function of an index function that gives exactly one value, such as a unique field.
 *
 * **Errors**: the key function throws `NotOneIndexValueError` where there is no value, or more than one (S17);
 * `toDeltas` reports that as a `KeyError`.
 *
 * @example
 * const byUid = createIndexer(indexFuncToKeyFunc(indexByField('metadata.uid')))
 */
export function indexFuncToKeyFunc<T>(indexFunction: IndexFunction<T>): KeyFunction<T> {
  return (object) => {
    const given = indexFunction(object);
    if (typeof given === 'string') return given;
    const values = given ?? [];
    const [key] = values;
    if (key === undefined || values.length > 1) throw new NotOneIndexValueError(object, values);
    return key;
  };
}
