import { createIndexer, type Indexer } from 'rx-informers';
import type { OwnerReference } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import type { Random } from './random.js';

/** The part of an object that owner trees, and the values rolled up along them, need. */
export interface Owned {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly ready?: boolean;
  readonly weight?: number;
  /** The name of the function under test that throws for this object. */
  readonly fails?: string;
}

/**
 * Creates an object with references to owners. Its uid is its name by default. The first owner is
 * the controller.
 */
export function anOwned(name: string, owners: readonly string[] = [], parts: Partial<Owned> = {}): Owned {
  const ownerReferences = owners.map((uid, position) => ownerReference(uid, position === 0));
  return { metadata: { name, uid: name, ...(owners.length > 0 && { ownerReferences }) }, ...parts };
}

export function ownerReference(uid: string, controller?: boolean): OwnerReference {
  return { apiVersion: 'v1', kind: 'Owner', name: uid, uid, ...(controller !== undefined && { controller }) };
}

export function storeOf(...objects: readonly Owned[]): Indexer<Owned> {
  const store = createIndexer<Owned>(metaNamespaceKey, {}, { freeze: false, onUnobservedError: () => undefined });
  store.replace(objects);
  return store;
}

const uids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;

/**
 * Creates a random object. Its uid is one of few, so other objects may have it, too. Its owners may
 * not exist, or may be the object itself.
 */
export function randomOwned(random: Random): Owned {
  const owners = random.chance(0.8) ? [ownerReference(random.oneOf(uids), random.oneOf([true, false, undefined]))] : [];
  if (random.chance(0.3)) owners.push(ownerReference(random.oneOf(uids), true));
  const uid = random.oneOf(uids);
  return {
    metadata: {
      // A uid nearly always belongs to the same name, so that a uid with two names is rare.
      name: random.chance(0.8) ? uid : random.oneOf(uids),
      ...(random.chance(0.95) && { uid }),
      ...(owners.length > 0 && { ownerReferences: owners }),
      ...(random.chance(0.03) && { ownerReferences: 'none' as never }),
    },
    ready: random.chance(0.5),
    ...(random.chance(0.8) && { weight: random.nat(100) / 10 }),
    ...(random.chance(0.1) && { fails: random.oneOf(['ready', 'own', 'combine']) }),
  };
}
