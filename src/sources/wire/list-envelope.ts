/** A list without its items. */
export interface ListEnvelope {
  /** For example `PodList`; `''` where the server gave none. */
  readonly kind: string;
  /** `''` where the server gave none. */
  readonly apiVersion: string;
  readonly metadata: ListEnvelopeMetadata;
  /** Whether there was a top-level `items` (an array or `null`): what has none is no list. */
  readonly hasItems: boolean;
}

export interface ListEnvelopeMetadata {
  readonly resourceVersion?: string;
  /** Asks for the next page; absent, or `''`, on the last one. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Reads the envelope out of a decoded list; what has another type than it should is left out. */
export function readListEnvelope(decoded: unknown, hasItems: boolean): ListEnvelope {
  const { kind, apiVersion, metadata } = fieldsOf(decoded);
  const { resourceVersion, continue: continueToken, remainingItemCount } = fieldsOf(metadata);
  return {
    kind: typeof kind === 'string' ? kind : '',
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    metadata: {
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
      ...(typeof continueToken === 'string' && { continue: continueToken }),
      ...(typeof remainingItemCount === 'number' && { remainingItemCount }),
    },
    hasItems,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
