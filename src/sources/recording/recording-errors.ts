import { RxInformersError } from '../../kubernetes/rx-informers-error.js';

/** A recording breaks off: its last line is cut off, or says nothing of an end. */
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

/** Not a recording, or one of a format that this version does not know. */
export class RecordingFormatError extends RxInformersError {
  static override readonly code = 'RXI_RECORDING_FORMAT';
  override readonly name = 'RecordingFormatError';
  constructor(readonly problem: string) {
    super(`cannot replay: ${problem}`);
  }
}
