import { farAway } from '../normalise.js';
import type { Scenario } from '../scenario.js';
import { caughtUp, configMap, configMapsOf, seed } from './objects.js';

export const watchScenarios: readonly Scenario[] = [
  {
    name: 'watch-from',
    run: async (session) => {
      const first = await seed(session, configMap('a'));
      await seed(session, configMap('b'));
      const path = configMapsOf(session);
      const unset = await session.watch('unset', path);
      const zero = await session.watch('from 0', path, { query: { resourceVersion: '0' } });
      const exact = await session.watch('from an exact version', path, { query: { resourceVersion: first } });
      await unset.take(2);
      await zero.take(2);
      await exact.take(1);
      await session.send('created', 'POST', path, { body: configMap('c') });
      await session.send('updated', 'PUT', `${path}/c`, { body: configMap('c', {}, { key: 'other' }) });
      await session.send('not changed', 'PUT', `${path}/c`, { body: configMap('c', {}, { key: 'other' }) });
      await session.send('deleted', 'DELETE', `${path}/c`);
      for (const watch of [unset, zero, exact]) {
        await watch.take(3);
        watch.close();
      }
    },
  },
  {
    name: 'watch-initial-events',
    run: async (session) => {
      const latest = await seed(session, configMap('a', { app: 'web' }), configMap('b'));
      const path = configMapsOf(session);
      const all = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
      const streams = [
        ['unset', all, 3],
        ['from 0', { ...all, resourceVersion: '0' }, 3],
        ['from a version', { ...all, resourceVersion: latest }, 3],
        ['with a selector', { ...all, labelSelector: 'app=web' }, 2],
        ['selecting nothing', { ...all, labelSelector: 'app=none' }, 1],
        ['without bookmarks', { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }, 2],
      ] as const;
      const open = [];
      for (const [step, query, count] of streams) {
        const watch = await session.watch(step, path, { query });
        await watch.take(count);
        open.push(watch);
      }
      const none = await session.watch('no initial events', path, {
        query: { ...all, sendInitialEvents: 'false', resourceVersion: latest },
      });
      const created = await session.send('created', 'POST', path, { body: configMap('c', { app: 'web' }) });
      await caughtUp(session, path, created.resourceVersion);
      await none.take(1);
      none.close();
      await open[0]?.take(1);
      await open[3]?.take(1);
      for (const watch of open) watch.close();
    },
  },
  {
    name: 'watch-refused',
    run: async (session) => {
      await seed(session, configMap('a'));
      const ask = (step: string, query: Readonly<Record<string, string>>) =>
        session.send(step, 'GET', configMapsOf(session), { query: { watch: 'true', timeoutSeconds: '1', ...query } });
      await ask('initial events without a match', { sendInitialEvents: 'true' });
      await ask('initial events, exact', { sendInitialEvents: 'true', resourceVersionMatch: 'Exact' });
      await ask('a match without initial events', { resourceVersion: '1', resourceVersionMatch: 'NotOlderThan' });
      await ask('a continue token', { continue: 'abc' });
      await ask('a version that is none', { resourceVersion: 'abc' });
      await ask('a malformed label selector', { labelSelector: 'a in b' });
      await ask('a malformed field selector', { fieldSelector: 'a' });
      await ask('an unknown field', { fieldSelector: 'spec.x=1' });
      await ask('a timeout that is no number', { timeoutSeconds: 'soon' });
      await session.send('of something that is not served', 'GET', '/api/v1/somethings', { query: { watch: 'true' } });
    },
  },
  {
    name: 'watch-timeout',
    run: async (session) => {
      const latest = await seed(session, configMap('a'));
      const path = configMapsOf(session);
      const query = { timeoutSeconds: '1', resourceVersion: latest };
      const quiet = await session.watch('ends by itself', path, { query });
      const old = await session.watch('the deprecated form', path.replace('/v1/', '/v1/watch/'), {
        query: { timeoutSeconds: '1', resourceVersion: '0' },
      });
      const one = await session.watch('of one object by its path', `${path.replace('/v1/', '/v1/watch/')}/a`, {
        query: { timeoutSeconds: '1', resourceVersion: '0' },
      });
      const no = await session.send('watch=false is a list', 'GET', path, { query: { watch: 'false' } });
      if (no.status !== 200) throw new Error('a list is no watch');
      await quiet.rest();
      await old.rest();
      await one.rest();
    },
  },
  {
    name: 'watch-too-large-version',
    run: async (session) => {
      await seed(session, configMap('a'));
      const path = configMapsOf(session);
      const query = { resourceVersion: farAway, timeoutSeconds: '5' };
      const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
      const [streaming] = await Promise.all([
        session.watch('initial events from the future', path, { query: { ...query, ...initial } }),
      ]);
      await streaming.rest();
    },
  },
  {
    name: 'watch-selectors',
    run: async (session) => {
      const latest = await seed(session, configMap('a', { app: 'web' }), configMap('b', { app: 'db' }));
      const path = configMapsOf(session);
      const web = await session.watch('the web', path, {
        query: { labelSelector: 'app=web', resourceVersion: latest },
      });
      const byName = await session.watch('one name', path, {
        query: { fieldSelector: 'metadata.name=b', resourceVersion: latest },
      });
      const label = (step: string, name: string, app: string | null) =>
        session.send(step, 'PATCH', `${path}/${name}`, {
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { metadata: { labels: { app } } },
        });
      await label('b enters', 'b', 'web');
      await label('a leaves', 'a', 'db');
      await label('a changes outside', 'a', null);
      await label('b leaves', 'b', 'db');
      await label('b enters again', 'b', 'web');
      await session.send('b is deleted', 'DELETE', `${path}/b`);
      await session.send('a is deleted outside', 'DELETE', `${path}/a`);
      await web.take(5);
      await byName.take(4);
      web.close();
      byName.close();
    },
  },
  {
    name: 'watch-representations',
    run: async (session) => {
      const latest = await seed(session, configMap('a'));
      const path = configMapsOf(session);
      const watch = (step: string, accept: string) =>
        session.watch(step, path, { query: { resourceVersion: latest }, headers: { accept } });
      const metadata = await watch('metadata', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
      const table = await watch('tables', 'application/json;as=Table;g=meta.k8s.io;v=v1');
      const stream = await watch('what client-go asks for', 'application/json;stream=watch');
      await session.send('created', 'POST', path, { body: configMap('b') });
      await session.send('deleted', 'DELETE', `${path}/b`);
      for (const opened of [metadata, table, stream]) {
        await opened.take(2);
        opened.close();
      }
    },
  },
];
