import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** Bytes that are not what the protocol says. It knows no request; whoever made the request turns it into a `DecodeError`. */
export class WireError extends RxInformersError {
  static override readonly code = 'RXI_WIRE';
  override readonly name = 'WireError';
  constructor(
    readonly problem: string,
    /** The beginning of the bytes, as text; what is not UTF-8 in it is replaced. */
    readonly line: string,
    /** How many bytes there were, or at least were seen. */
    readonly byteLength: number,
    options?: ErrorOptions,
  ) {
    super(`${problem} (${byteLength} bytes): ${JSON.stringify(line)}`, options);
  }
}

const shownLength = 200;
const lossy = new TextDecoder();

/** A `WireError` that shows the beginning of `bytes`. */
export function wireError(
  problem: string,
  bytes: Uint8Array,
  byteLength: number = bytes.length,
  options?: ErrorOptions,
): WireError {
  return new WireError(problem, lossy.decode(bytes.subarray(0, shownLength)), byteLength, options);
}
