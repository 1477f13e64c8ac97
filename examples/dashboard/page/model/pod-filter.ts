import type { Pod } from 'rx-informers';
import { indexByLabelPair } from './label-pairs.js';
import { podStatusText } from './pod-phase.js';

/** The indexes of pods. */
export type PodIndex = 'namespace' | 'node' | 'label';

/** What the user has chosen: at most one value of each index, and what is typed. */
export interface PodFilter {
  readonly chosen: Readonly<Partial<Record<PodIndex, string>>>;
  readonly text: string;
}

export type FilterAction =
  | { readonly type: 'toggle'; readonly index: PodIndex; readonly value: string }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'clear' };

export const noFilter: PodFilter = { chosen: {}, text: '' };

export function nextFilter(filter: PodFilter, action: FilterAction): PodFilter {
  switch (action.type) {
    case 'toggle': {
      const { [action.index]: before, ...others } = filter.chosen;
      const chosen = before === action.value ? others : { ...others, [action.index]: action.value };
      return { ...filter, chosen };
    }
    case 'type':
      return { ...filter, text: action.text };
    case 'clear':
      return noFilter;
  }
}

export interface PodSelection {
  readonly index: readonly [PodIndex, string] | undefined;
  readonly where: ((pod: Pod) => boolean) | undefined;
}

/** The smallest bucket is most likely a node's; what is chosen besides is asked of each of its pods. */
const byPreference: readonly PodIndex[] = ['node', 'label', 'namespace'];

/** A filter as a window takes it: one bucket, and a condition for the rest. */
export function podSelection({ chosen, text }: PodFilter): PodSelection {
  const [first, ...rest] = byPreference.filter((index) => chosen[index] !== undefined);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const conditions = [
    ...rest.map((index) => (pod: Pod) => valuesOf[index](pod).includes(chosen[index] ?? '')),
    ...words.map((word) => (pod: Pod) => textOf(pod).includes(word)),
  ];
  return {
    index: first === undefined ? undefined : [first, chosen[first] ?? ''],
    where: conditions.length === 0 ? undefined : (pod) => conditions.every((isMet) => isMet(pod)),
  };
}

const valuesOf: Readonly<Record<PodIndex, (pod: Pod) => readonly string[]>> = {
  namespace: ({ metadata }) => [metadata.namespace ?? ''],
  node: (pod) => [indexByPlacement(pod)],
  label: indexByLabelPair,
};

/** The node of a pod, `''` for one that has none yet. */
export function indexByPlacement({ spec }: Pod): string {
  return spec?.nodeName ?? '';
}

/** What typed words are looked for in. */
function textOf(pod: Pod): string {
  const { name, namespace = '' } = pod.metadata;
  return `${namespace}/${name} ${indexByPlacement(pod)} ${podStatusText(pod)} ${pod.status?.podIP ?? ''}`.toLowerCase();
}
