import { lazy, Suspense, type ReactNode } from 'react';
import { InformersDevtools } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';

const DiskSwitch = lazy(async () => ({ default: (await import('../history/disk-switch.js')).DiskSwitch }));

const setting = 'page.informers';

/** Opens or closes the table of informers. */
export function toggleInformers(): void {
  go(({ settings: { [setting]: value, ...others } }) => ({
    settings: value === 'open' ? others : { ...others, [setting]: 'open' },
  }));
}

/**
 * Renders the table of informers if it is open, and the choice to keep the history on disk. Loads
 * their code only then.
 */
export function InformersPanel(): ReactNode {
  if (usePageAddress().settings[setting] !== 'open') return null;
  return (
    <section className="informers-panel" aria-label="Informers" tabIndex={0}>
      <InformersDevtools />
      <Suspense>
        <DiskSwitch />
      </Suspense>
    </section>
  );
}
