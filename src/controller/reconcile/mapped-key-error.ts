import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** A `map` function gave something that is no key. */
export class MappedKeyError extends RxInformersError {
  static override readonly code = 'RXI_MAPPED_KEY';
  override readonly name = 'MappedKeyError';
  constructor(
    /** What it gave, as it was. */
    readonly output: unknown,
  ) {
    super(`the map function gave ${describe(output)}, which is no key; give a string, several, or nothing`);
  }
}

function describe(output: unknown): string {
  if (output === '') return 'an empty string';
  return output === null ? 'null' : `a value of type ${typeof output}`;
}
