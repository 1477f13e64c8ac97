import type { StoredObject } from '../storage/stored-object.js';
import type { Representation } from './representation.js';

const apiVersion = 'meta.k8s.io/v1';
const kind = 'PartialObjectMetadata';

function partial({ metadata }: StoredObject): object {
  return { kind, apiVersion, metadata };
}

/** Metadata only, for clients that ask with `as=PartialObjectMetadata`. */
export const metadataRepresentation: Representation = {
  object: partial,
  // The real server, written in Go, says null where there is nothing.
  list: (items, { shardInfo: _shardInfo, ...metadata }) => ({
    kind: `${kind}List`,
    apiVersion,
    metadata,
    items: items.length === 0 ? null : items.map(partial),
  }),
  event: (object) => JSON.stringify(partial(object)),
  bookmark: (metadata) => ({ kind, apiVersion, metadata }),
};
