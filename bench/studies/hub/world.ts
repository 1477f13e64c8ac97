/** What the cluster of the study contains, and who may read what. */
export const counts = {
  pods: Number(process.env['PODS'] ?? 10_000),
  viewers: Number(process.env['VIEWERS'] ?? 1_000),
  /** The viewers that may read all pods. */
  ofAll: Number(process.env['OF_ALL'] ?? 50),
  /** The viewers that have an informer. The others check the namespaces of what they receive. */
  withInformer: 20,
  namespaces: 20,
  ruleSets: 20,
} as const;

export const namespaceName = (index: number): string => `team-${index % counts.namespaces}`;

/** Returns the namespaces of a rule set: one, two or three of twenty, so 5 to 15 % of the pods. */
export function namespacesOfSet(set: number): readonly string[] {
  return Array.from({ length: 1 + (set % 3) }, (_, index) => namespaceName(set + index));
}

/** A viewer that an authenticating proxy has confirmed. */
export interface StudyViewer {
  readonly user: string;
  readonly groups: readonly string[];
  /** The namespaces that it asks for: all that it may read. */
  readonly namespaces: readonly string[];
}

export function viewerOf(index: number): StudyViewer {
  const user = `viewer-${index}`;
  if (index < counts.ofAll) return { user, groups: ['everything'], namespaces: [''] };
  const set = index % counts.ruleSets;
  return { user, groups: [`set-${set}`], namespaces: namespacesOfSet(set) };
}

/** The annotation with the time of a change, in milliseconds. */
export const changedAt = 'study/changed-at';

/** What a process of the study tells its parent. */
export type Report =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'hub'; readonly rss: number; readonly watches: number; readonly reviews: number }
  | {
      readonly type: 'viewers';
      readonly fresh: number;
      readonly forbidden: number;
      readonly frames: number;
      readonly bytes: number;
      /** Milliseconds from the write of each change until a viewer has received it. */
      readonly latencies: readonly number[];
    }
  | { readonly type: 'resumed'; readonly bytes: number; readonly bytesOfOthers: number };
