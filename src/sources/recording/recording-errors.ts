import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/**
 * A recording ends early: its last line is cut off, or its end is missing.
 *
 * **What to do**: Record again, and let the recording end before the process does. What was read
 * before is valid.
 */
export class TruncatedRecordingError extends RxInformersError {
  static override readonly code = 'RXI_TRUNCATED_RECORDING';
  override readonly name = 'TruncatedRecordingError';
  constructor(
    /** The line that could not be read, or the one after the last; counted from 1. */
    readonly line: number,
    options?: ErrorOptions,
  ) {
    super(`the recording breaks off at line ${line}; what came before was replayed`, options);
  }
}

/**
 * A text is not a recording, or one of a format that this version does not know.
 *
 * **What to do**: Replay it with the version that recorded it, or record again.
 */
export class RecordingFormatError extends RxInformersError {
  static override readonly code = 'RXI_RECORDING_FORMAT';
  override readonly name = 'RecordingFormatError';
  constructor(readonly problem: string) {
    super(`cannot replay: ${problem}`);
  }
}
