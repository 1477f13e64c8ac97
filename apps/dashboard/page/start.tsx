import './first-requests.js';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ClusterOfAddress, startWorkerOfAddress } from './cluster/cluster.js';
import { Dashboard } from './frame/dashboard.js';
import { applyTheme, storedTheme } from './frame/theme.js';

/** Draws the page that the address describes. */
export function startPage(): void {
  startWorkerOfAddress();
  applyTheme(storedTheme());
  const root = createRoot(document.getElementById('root') as HTMLElement);
  // React renders a transition in slices, so the browser can respond between them.
  startTransition(() => {
    root.render(
      <StrictMode>
        <ClusterOfAddress>
          <Dashboard />
        </ClusterOfAddress>
      </StrictMode>,
    );
  });
}
