import type { ReactNode } from 'react';
import { PageLink, usePageAddress } from '../address/use-page-address.js';
import { pageViews, viewNamed } from './views.js';

/**
 * Renders the links to the views. A link can be opened in another tab, and keeps the filter and the
 * shown time.
 */
export function Navigation(): ReactNode {
  const shown = viewNamed(usePageAddress().view);
  return (
    <nav className="views" aria-label="Views">
      <ul>
        {pageViews.map((view) => (
          <li key={view.name}>
            <PageLink to={{ view: view.name }} {...(view === shown && { isCurrent: true })}>
              {view.title}
            </PageLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
