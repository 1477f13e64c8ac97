import { createIndexer, type Indexer } from 'rx-informers';
import type { OwnerReference } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import type { FactoryMeta } from 'rx-informers/testing';
import { objectMeta } from '../../../../src/testing/factories/object-meta.js';

/** An invented custom resource, or an object that belongs to it. */
export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: FactoryMeta;
  readonly spec: { readonly size: number };
}

let version = 0;

/** Returns a Website with a new version at each call. */
export function aSite(name: string, size = 1): Thing {
  return aThing('web.example/v1', 'Website', name, size);
}

export function aChild(name: string, owner?: readonly OwnerReference[], size = 1): Thing {
  return aThing('apps/v1', 'Child', name, size, owner);
}

export function aThing(
  apiVersion: string,
  kind: string,
  name: string,
  size: number,
  owner?: readonly OwnerReference[],
): Thing {
  const [namespace, own] = name.includes('/') ? name.split('/') : ['', name];
  version++;
  const metadata = objectMeta(kind, { name: own ?? '', namespace, resourceVersion: version, owner });
  return { apiVersion, kind, metadata, spec: { size } };
}

/** Returns an owner reference to a Website, as the controlling owner. */
export function by(name: string, overrides: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'web.example/v1', kind: 'Website', name, uid: `uid-${name}`, controller: true, ...overrides };
}

/**
 * Returns a collection to which the test writes directly. It is synced once it contains something.
 */
export function store<T extends Thing = Thing>(...objects: readonly T[]): Indexer<T> {
  const indexer = createIndexer<T>(metaNamespaceKey);
  if (objects.length > 0) indexer.replace(objects);
  return indexer;
}
