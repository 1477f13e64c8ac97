import { useState, type ReactNode } from 'react';
import { usePageAddress } from '../address/use-page-address.js';
import { labelPrefix } from '../pods/pod-filter.js';
import { plainText } from '../text/text.js';
import { useFacetCounts, useTotals, type FacetCounts } from './facet-counts.js';
import { facetName, mainFacets, useLabelFacets } from './facet-names.js';
import { Facet } from './facet.js';

/**
 * Renders the facets that filter the pods. Each value has the number of its pods within the filter.
 */
export function Facets(): ReactNode {
  const { filter } = usePageAddress();
  const totals = useTotals();
  const counts = useFacetCounts(filter);
  const found = useLabelFacets(totals);
  const offered = mainFacets.filter(
    ({ facet }) => facet !== 'app' || found.includes(facet) || filter.chosen[facet] !== undefined,
  );
  const labels = found.filter((facet) => facet.startsWith(labelPrefix));
  // A chosen value can be removed, even if no pod has it now.
  const chosen = Object.keys(filter.chosen).filter((facet) => facet.startsWith(labelPrefix) && !found.includes(facet));
  return (
    <nav className="facets" aria-label="Filters">
      {offered.map((name) => (
        <Facet key={name.facet} name={name} counts={counts} totals={totals} chosen={filter.chosen[name.facet]} />
      ))}
      {[...labels, ...chosen].map((facet) => (
        <LabelFacet key={facet} facet={facet} counts={counts} totals={totals} chosen={filter.chosen[facet]} />
      ))}
    </nav>
  );
}

interface LabelFacetProps {
  readonly facet: string;
  readonly counts: FacetCounts;
  readonly totals: FacetCounts;
  readonly chosen: readonly string[] | undefined;
}

/**
 * Renders the facet of a label, folded until the user opens it. A folded facet is counted, but not
 * drawn.
 */
function LabelFacet({ facet, counts, totals, chosen }: LabelFacetProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const name = facetName(facet);
  const isShown = isOpen || chosen !== undefined;
  return (
    <div className="label-facet">
      <button
        type="button"
        className="facet-fold"
        aria-expanded={isShown}
        title={plainText(facet.slice(labelPrefix.length))}
        onClick={() => {
          setOpen(!isShown);
        }}
      >
        <span className="fold-mark" aria-hidden="true" />
        <span className="facet-text">{plainText(name.title, 60)}</span>
        {name.prefix !== undefined && <span className="fine facet-prefix">{plainText(name.prefix, 60)}</span>}
      </button>
      {isShown && <Facet name={name} isTitleHidden counts={counts} totals={totals} chosen={chosen} />}
    </div>
  );
}
