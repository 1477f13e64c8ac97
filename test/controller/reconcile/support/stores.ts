import { createIndexer, type Indexer, metaNamespaceKey, type OwnerReference } from 'rx-informers';
import type { FactoryMeta } from 'rx-informers/testing';
import { objectMeta } from '../../../../src/testing/factories/meta.js';

/** A made-up custom resource, and what belongs to it. */
export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: FactoryMeta;
  readonly spec: { readonly size: number };
}

let version = 0;

/** A new version of a Website each time. */
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

/** A reference to a Website, as its controller. */
export function by(name: string, overrides: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'web.example/v1', kind: 'Website', name, uid: `uid-${name}`, controller: true, ...overrides };
}

/** A collection that is fed by hand: synced once something was put into it. */
export function store<T extends Thing = Thing>(...objects: readonly T[]): Indexer<T> {
  const indexer = createIndexer<T>(metaNamespaceKey);
  if (objects.length > 0) indexer.replace(objects);
  return indexer;
}
