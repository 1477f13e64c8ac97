import { type WatchEvent, watchEvent } from 'rx-informers';

const { added, deleted, listed, modified } = watchEvent;

/** As much of a pod as these tests look at. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
}

export interface PodParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Its resourceVersion; left out, the pod has none. */
  readonly version?: number | string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly node?: string;
}

/** A pod that states only what matters. */
export function aPod({ name = 'a', namespace, uid, version, labels, node }: PodParts = {}): Pod {
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(version === undefined ? {} : { resourceVersion: String(version) }),
      ...(labels === undefined ? {} : { labels }),
    },
    spec: node === undefined ? {} : { nodeName: node },
  };
}

export const byNode = (pod: Pod): string | undefined => pod.spec.nodeName;

/** The pods of most tests: two nodes, two apps. */
export const a1 = aPod({ name: 'a', version: 1, node: 'n1', labels: { app: 'x' } });
export const a2 = aPod({ name: 'a', version: 2, node: 'n1', labels: { app: 'x' } });
/** Moved to the other node. */
export const a3 = aPod({ name: 'a', version: 3, node: 'n2', labels: { app: 'x' } });
export const a4 = aPod({ name: 'a', version: 4, node: 'n2', labels: { app: 'x' } });
export const b1 = aPod({ name: 'b', version: 1, node: 'n2', labels: { app: 'y' } });
export const b2 = aPod({ name: 'b', version: 2, node: 'n2', labels: { app: 'y' } });

/** A history by letters, for marbles. */
export const events: Readonly<Record<string, WatchEvent<Pod>>> = {
  /** Both pods. */
  L: listed([a1, b1], '1'),
  /** Nothing exists. */
  E: listed<Pod>([], '1'),
  A: added(a1),
  B: added(b1),
  /** `a` changes and stays where it is. */
  M: modified(a2),
  /** `b` changes and stays where it is. */
  N: modified(b2),
  /** `a` goes to the node of `b`. */
  O: modified(a3),
  D: deleted(a4),
  K: { type: 'BOOKMARK', resourceVersion: '99' },
};
