import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { isFiltering, noFilter } from '../pods/pod-filter.js';
import { countText } from '../text/text.js';
import { everyPod, useFacetCounts } from './facet-counts.js';
import { Facets } from './facets.js';

/**
 * Renders a button that opens the facets as a sheet, for windows without room beside the content.
 */
export function FacetSheet(): ReactNode {
  const { filter } = usePageAddress();
  const [isOpen, setOpen] = useState(false);
  const chosen = Object.values(filter.chosen).reduce((sum, { length }) => sum + length, 0);
  return (
    <div className="facet-bar">
      <button
        type="button"
        className="action"
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(true);
        }}
      >
        Filters{chosen > 0 && <span className="badge">{chosen}</span>}
      </button>
      {isOpen && (
        <Sheet
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </div>
  );
}

function Sheet({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { filter } = usePageAddress();
  const dialog = useRef<HTMLDialogElement>(null);
  const pods = useObject(useFacetCounts(filter), everyPod)?.pods ?? 0;
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="sheet" aria-label="Filters" onClose={onClose}>
      <Facets />
      <div className="sheet-foot">
        <button
          type="button"
          className="action"
          disabled={!isFiltering(filter)}
          onClick={() => {
            go({ filter: noFilter });
          }}
        >
          Clear all
        </button>
        <button
          type="button"
          className="action main"
          onClick={() => {
            dialog.current?.close();
          }}
        >
          Show {countText(pods)} {pods === 1 ? 'pod' : 'pods'}
        </button>
      </div>
    </dialog>
  );
}
