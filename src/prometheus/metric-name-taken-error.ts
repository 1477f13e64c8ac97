import { RxInformersError } from '../kubernetes/rx-informers-error.js';

/** Thrown by `prometheusMetrics` where the registry holds metrics of these names from somebody else; nothing was registered. */
export class MetricNameTakenError extends RxInformersError {
  static override readonly code = 'RXI_METRIC_NAME_TAKEN';
  override readonly name = 'MetricNameTakenError';
  constructor(readonly taken: readonly string[]) {
    super(`the registry already has metrics named ${taken.join(', ')}; give a registry of your own, or a prefix`);
  }
}
