import type { ReactNode } from 'react';
import { InformersDevtools } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';

const setting = 'page.informers';

function useIsOpen(): boolean {
  return usePageAddress().settings[setting] === 'open';
}

/** Renders the button that opens and closes the table of informers. */
export function InformersButton(): ReactNode {
  const isOpen = useIsOpen();
  return (
    <button
      type="button"
      className="informers-button"
      aria-pressed={isOpen}
      title="Which informers run, and what keeps them running"
      onClick={() => {
        go(({ settings: { [setting]: _, ...others } }) => ({
          settings: isOpen ? others : { ...others, [setting]: 'open' },
        }));
      }}
    >
      informers
    </button>
  );
}

/** Renders the table of informers if it is open. Loads its code only then. */
export function InformersPanel(): ReactNode {
  if (!useIsOpen()) return null;
  return (
    <section className="informers-panel" aria-label="Informers" tabIndex={0}>
      <InformersDevtools />
    </section>
  );
}
