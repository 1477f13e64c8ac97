import type { Pod } from 'rx-informers';

/** Labels that are another one for nearly every pod, or every roll-out: they select nothing that somebody looks for. */
const tooMany: ReadonlySet<string> = new Set([
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/job-completion-index',
]);

/** An index of pods by `label=value`, so that the values of the index are all labels that there are. Neither part can hold a `=`. */
export function indexByLabelPair({ metadata }: Pod): readonly string[] {
  return Object.entries(metadata.labels ?? {})
    .filter(([label]) => !tooMany.has(label))
    .map(([label, value]) => `${label}=${value}`);
}

export interface LabelFacet {
  readonly label: string;
  /** In order. */
  readonly pairs: readonly string[];
}

/** The pairs of each label together, in the order in which the index gives them. */
export function facetsOf(pairs: readonly string[]): readonly LabelFacet[] {
  const byLabel = new Map<string, string[]>();
  for (const pair of pairs) {
    const label = pair.slice(0, pair.indexOf('='));
    const known = byLabel.get(label);
    if (known) known.push(pair);
    else byLabel.set(label, [pair]);
  }
  return [...byLabel].map(([label, ofLabel]) => ({ label, pairs: ofLabel }));
}

export function valueOfPair(pair: string): string {
  return pair.slice(pair.indexOf('=') + 1);
}
