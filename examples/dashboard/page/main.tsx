import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { fetchClient, informerRegistry } from 'rx-informers';
import { InformersProvider } from 'rx-informers/react';
import { applyTheme, storedTheme } from './hooks/use-theme.js';
import { apiBaseOf } from './model/api-base.js';
import { Dashboard } from './parts/dashboard.js';

applyTheme(storedTheme());
const registry = informerRegistry(fetchClient({ baseUrl: apiBaseOf(location.search) }));

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <InformersProvider registry={registry}>
      <Dashboard />
    </InformersProvider>
  </StrictMode>,
);
