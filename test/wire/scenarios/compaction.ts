import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, seed } from './objects.js';

export const compactionScenarios: readonly Scenario[] = [
  {
    name: 'compaction',
    server: 'no-watch-cache',
    run: async (session) => {
      const path = configMapsOf(session);
      const old = await seed(session, configMap('a'), configMap('b'), configMap('c'));
      const page = await session.send('first page', 'GET', path, { query: { limit: '1' } });
      await seed(session, configMap('d'), configMap('e'));
      await session.compact();
      const expired = await session.send('the page is too old', 'GET', path, {
        query: { limit: '1', continue: page.continue },
      });
      const next = await session.send('the fresh token goes on', 'GET', path, {
        query: { limit: '1', continue: expired.continue },
      });
      await session.send('and on, in the present version', 'GET', path, { query: { continue: next.continue } });
      await session.send('an exact version', 'GET', path, {
        query: { resourceVersion: old, resourceVersionMatch: 'Exact' },
      });
      await session.send('a version with a limit', 'GET', path, { query: { resourceVersion: old, limit: '1' } });
      await session.send('not older than', 'GET', path, { query: { resourceVersion: old } });
      const watch = await session.watch('a watch from before', path, { query: { resourceVersion: old } });
      await watch.rest();
    },
  },
];
