/** A list without its items. */
export interface ListEnvelope {
  /** The kind of the list, for example `PodList`; `''` if the server sent none. */
  readonly kind: string;
  /** The apiVersion of the list; `''` if the server sent none. */
  readonly apiVersion: string;
  readonly metadata: ListEnvelopeMetadata;
  /** True for a top-level `items` (an array or `null`), which every list has. */
  readonly hasItems: boolean;
}

export interface ListEnvelopeMetadata {
  readonly resourceVersion?: string;
  /** The token for the next page; absent or `''` on the last page. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Returns the envelope of a decoded list. Fields of the wrong type are ignored. */
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

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
