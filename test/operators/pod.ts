import type { AddedChange, Change, ChangeReason, ChangeSet, DeletedChange, UpdatedChange } from 'rx-informers';

/** As much of a pod as these tests look at. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: { readonly nodeName?: string };
}

/** A pod that states only what matters; its uid is that of its name. */
export function aPod(metadata: Partial<Pod['metadata']> = {}, spec?: Pod['spec']): Pod {
  const name = metadata.name ?? 'a';
  return { metadata: { uid: `uid-of-${name}`, ...metadata, name }, ...(spec && { spec }) };
}

export const added = <T extends Pod>(object: T): AddedChange<T> => ({
  type: 'added',
  key: object.metadata.name,
  object,
});

export const updated = <T extends Pod>(previous: T, object: T): UpdatedChange<T> => ({
  type: 'updated',
  key: object.metadata.name,
  object,
  previous,
});

export const deleted = <T extends Pod>(object: T, finalStateUnknown = false): DeletedChange<T> => ({
  type: 'deleted',
  key: object.metadata.name,
  object,
  finalStateUnknown,
});

export const changeSet = <T>(reason: ChangeReason, ...changes: readonly Change<T>[]): ChangeSet<T> => ({
  reason,
  changes,
});
