/** The `Status` object (meta/v1) with which the API server explains a failure. */
export interface KubernetesStatus {
  readonly kind?: 'Status';
  readonly apiVersion?: string;
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  /** Machine-readable, for example `NotFound`, `Expired`, `Forbidden`. */
  readonly reason?: string;
  readonly code?: number;
  /** In a 410 about a page of a list: `continue` reads the rest in the most recent state. */
  readonly metadata?: { readonly continue?: string };
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
