import { useMemo, type ReactNode } from 'react';
import { useIndexValues } from 'rx-informers/react';
import { usePods } from '../cluster/informers.js';
import { facetsOf, valueOfPair } from '../model/label-pairs.js';
import type { PodFilter, PodIndex } from '../model/pod-filter.js';
import { Facet } from './facet.js';

interface FacetsProps {
  readonly chosen: PodFilter['chosen'];
  readonly onToggle: (index: PodIndex, value: string) => void;
}

/** Namespaces and labels that pods have now; one that is new appears by itself. */
export function Facets({ chosen, onToggle }: FacetsProps): ReactNode {
  const pods = usePods();
  const namespaces = useIndexValues(pods, 'namespace');
  const pairs = useIndexValues(pods, 'label');
  const labels = useMemo(() => facetsOf(pairs), [pairs]);
  return (
    <nav className="facets" aria-label="Filters">
      <Facet title="Namespace" index="namespace" values={namespaces} chosen={chosen.namespace} onToggle={onToggle} />
      {labels.map(({ label, pairs: values }) => (
        <Facet
          key={label}
          title={label}
          index="label"
          values={values}
          textOf={valueOfPair}
          chosen={chosen.label}
          onToggle={onToggle}
        />
      ))}
    </nav>
  );
}
