import type { Scenario } from '../scenario.js';
import type { Session } from '../session.js';
import { configMap, configMapsOf, deployment, deploymentsOf, resources, seed } from './objects.js';

const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

function patcher(session: Session, path: string, type: keyof typeof types) {
  return (step: string, body: unknown, query: Readonly<Record<string, string>> = {}) =>
    session.send(step, 'PATCH', path, { body, query, headers: { 'content-type': types[type] } });
}

export const patchScenarios: readonly Scenario[] = [
  {
    name: 'json-patch',
    run: async (session) => {
      await seed(session, configMap('a', undefined, { a: '1', b: '2' }));
      const patch = patcher(session, `${configMapsOf(session)}/a`, 'json');
      await patch('all operations', [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/c', value: '3' },
        { op: 'replace', path: '/data/a', value: 'one' },
        { op: 'copy', from: '/data/a', path: '/data/d' },
        { op: 'move', from: '/data/b', path: '/data/e' },
        { op: 'remove', path: '/data/c' },
      ]);
      await patch('nothing', []);
      await patch('a test that fails', [{ op: 'test', path: '/data/a', value: 'no' }]);
      await patch('a path that is not there', [{ op: 'replace', path: '/data/none/deep', value: 'x' }]);
      await patch('the removal of nothing', [{ op: 'remove', path: '/data/none' }]);
      await patch('an unknown operation', [{ op: 'invert', path: '/data/a' }]);
      await patch('an object', { op: 'remove', path: '/data/a' });
      await patch('not JSON', 'nonsense');
      await patch('an escaped path', [{ op: 'add', path: '/metadata/annotations', value: { 'a/b': 'x' } }]);
      await patch('through it', [{ op: 'replace', path: '/metadata/annotations/a~1b', value: 'y' }]);
    },
  },
  {
    name: 'merge-patch',
    run: async (session) => {
      const seeded = await seed(session, configMap('a', { app: 'web' }, { a: '1', b: '2' }));
      const path = configMapsOf(session);
      const patch = patcher(session, `${path}/a`, 'merge');
      await patch('adds, changes and removes', { data: { a: 'one', b: null, c: '3' } });
      await patch('nothing', {});
      await patch('with the version before', { metadata: { resourceVersion: seeded }, data: { d: '4' } });
      await patch('another name', { metadata: { name: 'b' } });
      await patch('another uid', { metadata: { uid: '00000000-0000-4000-8000-000000000000' } });
      await patch('another namespace', { metadata: { namespace: 'other' } });
      await patch('another kind', { kind: 'Secret' });
      await patch('a bad label', { metadata: { labels: { app: '!' } } });
      await patch('a list', []);
      await patch('not JSON', 'nonsense');
      await patch('cut off', '{"data":');
      await patch('dry run', { data: { dry: 'run' } }, { dryRun: 'All' });
      await patch('with a manager', { data: { e: '5' } }, { fieldManager: 'zoe' });
      await patcher(session, `${path}/none`, 'merge')('one that is not there', { data: {} });
      await session.send('a patch of no known type', 'PATCH', `${path}/a`, {
        body: {},
        headers: { 'content-type': 'application/json' },
      });
      await session.send('a patch of all', 'PATCH', path, { body: {}, headers: { 'content-type': types.merge } });
    },
  },
  {
    name: 'strategic-merge-patch',
    run: async (session) => {
      await session.silently('POST', deploymentsOf(session), { body: deployment('a') });
      const patch = patcher(session, `${deploymentsOf(session)}/a`, 'strategic');
      const containers = (...list: readonly object[]) => ({ spec: { template: { spec: { containers: list } } } });
      await patch('one container by its name', containers({ name: 'main', image: 'image:2' }));
      await patch('another one', containers({ name: 'third', image: 'third:1', resources }));
      await patch('one removed', containers({ name: 'side', $patch: 'delete' }));
      await patch('a variable added', containers({ name: 'main', env: [{ name: 'B', value: '2' }] }));
      await patch('finalizers added', { metadata: { finalizers: ['example.com/one'] } });
      await patch('one more', { metadata: { finalizers: ['example.com/two'] } });
      await patch('finalizers taken away', {
        metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/one', 'example.com/two'] },
      });
      await patch('a map replaced', { metadata: { labels: { $patch: 'replace', only: 'this' } } });
      await patch('a container without its key', containers({ image: 'image:3' }));
      await patch('an unknown directive', { spec: { $patch: 'invert' } });
      await patch('a list', []);
      await patch('not JSON', 'nonsense');
    },
  },
  {
    name: 'apply',
    run: async (session) => {
      const path = `${configMapsOf(session)}/a`;
      const apply = patcher(session, path, 'apply');
      const as = (fieldManager: string, force?: 'true') => ({ fieldManager, ...(force ? { force } : {}) });
      await apply('creates', configMap('a', { app: 'web' }, { a: '1', b: '2' }), as('ann'));
      await apply('the same again', configMap('a', { app: 'web' }, { a: '1', b: '2' }), as('ann'));
      await apply('takes away what it no longer says', configMap('a', undefined, { a: '1' }), as('ann'));
      await apply('shares a field', configMap('a', undefined, { a: '1', c: '3', d: '4' }), as('bob'));
      await apply('a conflict', configMap('a', undefined, { a: 'bob' }), as('bob'));
      await apply('two conflicts', configMap('a', undefined, { c: 'zoe', d: 'zoe' }), as('zoe'));
      await apply('forced', configMap('a', undefined, { a: 'bob' }), as('bob', 'true'));
      await apply('dry run', configMap('a', undefined, { e: '5' }), { ...as('ann'), dryRun: 'All' });
      await patcher(session, path, 'merge')('another way to write', { data: { a: 'merged' } }, as('zoe'));
      await apply('a conflict with an update', configMap('a', undefined, { a: 'bob' }), as('bob'));
      await apply('without a manager', configMap('a'));
      await apply('of another kind', { ...configMap('a'), kind: 'Secret' }, as('ann'));
      await apply('of another version', { ...configMap('a'), apiVersion: 'v2' }, as('ann'));
      await apply('without kind', { metadata: { name: 'a' } }, as('ann'));
      await apply('another name', configMap('b'), as('ann'));
      await apply('without a name', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'merged' } }, as('ann'));
      await apply(
        'with managed fields',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields: [] } },
        as('ann'),
      );
      await apply('YAML', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  y: "1"\n', as('yan'));
      await apply('bad YAML', 'a: {b', as('ann'));
      await session.send('as it is now', 'GET', path);
    },
  },
  {
    name: 'apply-lists',
    run: async (session) => {
      const apply = patcher(session, `${deploymentsOf(session)}/a`, 'apply');
      const spec = (containers: readonly object[]): object => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec: { template: { spec: { containers } } },
      });
      await apply('creates', deployment('a'), { fieldManager: 'ann' });
      await apply('another container', spec([{ name: 'extra', image: 'extra:1', resources }]), { fieldManager: 'bob' });
      await apply('the image of one of hers', spec([{ name: 'main', image: 'image:2' }]), { fieldManager: 'bob' });
      await apply('forced', spec([{ name: 'main', image: 'image:2' }]), { fieldManager: 'bob', force: 'true' });
      await apply('nothing any more', spec([]), { fieldManager: 'bob' });
    },
  },
];
