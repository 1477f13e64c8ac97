/** The `Status` object (meta/v1) with which the API server explains a failure. */
export interface KubernetesStatus {
  readonly kind?: 'Status';
  readonly apiVersion?: string;
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  /** Machine-readable, for example `NotFound`, `Expired`, `Forbidden`. */
  readonly reason?: string;
  readonly code?: number;
  readonly details?: KubernetesStatusDetails;
}

export interface KubernetesStatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}
