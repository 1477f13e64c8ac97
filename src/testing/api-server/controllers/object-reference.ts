import type { Catalog } from '../resources/catalog.js';
import { storageName, type ServedResource } from '../resources/served-resource.js';

/** Where an object is stored: its resource (`deployments.apps`) and its key there. */
export interface StorageAddress {
  readonly resource: string;
  readonly key: string;
}

/** The served resource behind a storage name, in any version. */
export function servedResource(catalog: Catalog, name: string): ServedResource | undefined {
  return catalog.all().find((resource) => storageName(resource) === name);
}
