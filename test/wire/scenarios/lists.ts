import { farAway } from '../normalise.js';
import type { Scenario } from '../scenario.js';
import { configMap, configMapsOf, pod, podsOf, seed } from './objects.js';

const five = ['a', 'b', 'c', 'd', 'e'].map((name) => configMap(name, { even: String('bd'.includes(name)) }));

export const listScenarios: readonly Scenario[] = [
  {
    name: 'list-pages',
    run: async (session) => {
      await seed(session, ...five);
      const path = configMapsOf(session);
      const first = await session.send('first page', 'GET', path, { query: { limit: '2' } });
      await session.silently('POST', path, { body: configMap('aa') });
      const second = await session.send('second page of the same version', 'GET', path, {
        query: { limit: '2', continue: first.continue },
      });
      await session.send('last page', 'GET', path, { query: { limit: '2', continue: second.continue } });
      await session.send('the rest without a limit', 'GET', path, { query: { continue: first.continue } });
      await session.send('a limit as large as the list', 'GET', path, { query: { limit: '6' } });
      await session.send('with a selector', 'GET', path, { query: { limit: '2', labelSelector: 'even=false' } });
      await session.send('a page from version 0', 'GET', path, { query: { limit: '2', resourceVersion: '0' } });
    },
  },
  {
    name: 'list-malformed-paging',
    run: async (session) => {
      const latest = await seed(session, configMap('a'), configMap('b'));
      const path = configMapsOf(session);
      const token = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
      const page = await session.silently('GET', path, { query: { limit: '1' } });
      const ask = (step: string, query: Readonly<Record<string, string>>) => session.send(step, 'GET', path, { query });
      await ask('a limit that is no number', { limit: 'many' });
      await ask('a negative limit', { limit: '-1' });
      await ask('no token at all', { continue: 'nonsense' });
      await ask('a token of another version', { continue: token({ v: 'v0', rv: 1, start: '/a' }) });
      await ask('a token without a key', { continue: token({ v: 'meta.k8s.io/v1', rv: 1, start: '' }) });
      await ask('a token of version 0', { continue: token({ v: 'meta.k8s.io/v1', rv: 0, start: '/a' }) });
      await ask('a token and a version', { continue: page.continue, resourceVersion: latest });
      await ask('a token and version 0', { continue: page.continue, resourceVersion: '0' });
      await ask('a token and a match', {
        continue: page.continue,
        resourceVersion: latest,
        resourceVersionMatch: 'Exact',
      });
      await ask('a token for the current version', { continue: token({ v: 'meta.k8s.io/v1', rv: -1, start: '/b' }) });
    },
  },
  {
    name: 'list-versions',
    run: async (session) => {
      const old = await seed(session, configMap('a'));
      await seed(session, configMap('b'));
      for (const limit of ['', '1']) {
        for (const resourceVersionMatch of ['', 'Exact', 'NotOlderThan', 'Sideways']) {
          for (const [words, resourceVersion] of [
            ['unset', ''],
            ['0', '0'],
            ['an old one', old],
          ] as const) {
            const step = `version ${words}, match ${resourceVersionMatch || 'unset'}, limit ${limit || 'unset'}`;
            const input = { resourceVersion, resourceVersionMatch, limit };
            const query = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== ''));
            await session.send(step, 'GET', configMapsOf(session), { query });
          }
        }
      }
      const path = configMapsOf(session);
      await session.send('a version that is none', 'GET', path, { query: { resourceVersion: 'abc' } });
      await session.send('a negative version', 'GET', path, { query: { resourceVersion: '-1' } });
      await session.send('initial events of a list', 'GET', path, { query: { sendInitialEvents: 'true' } });
    },
  },
  {
    name: 'list-too-large-version',
    run: async (session) => {
      await seed(session, configMap('a'));
      const ask = (step: string, query: Readonly<Record<string, string>>, name = '') =>
        session.send(step, 'GET', configMapsOf(session) + name, { query: { resourceVersion: farAway, ...query } });
      // Each request waits for three seconds. Together they take no longer than one.
      await Promise.all([
        ask('not older than', {}),
        ask('not older than, said so', { resourceVersionMatch: 'NotOlderThan' }),
        ask('exact', { resourceVersionMatch: 'Exact' }),
        ask('with a limit', { limit: '1' }),
        ask('of one object', {}, '/a'),
      ]);
    },
  },
  {
    name: 'label-selectors',
    run: async (session) => {
      await seed(
        session,
        configMap('a', { app: 'web', tier: 'front' }),
        configMap('b', { app: 'web' }),
        configMap('c', { app: 'db', empty: '' }),
        configMap('d'),
      );
      for (const labelSelector of selectors) {
        await session.send(labelSelector, 'GET', configMapsOf(session), {
          query: { labelSelector },
          headers: { accept: metadataOnly },
        });
      }
    },
  },
  {
    name: 'field-selectors',
    run: async (session) => {
      await seed(session, configMap('a'), configMap('b'));
      for (const name of ['one', 'two'])
        await session.silently('POST', podsOf(session), { body: pod(name, `on-${name}`) });
      const headers = { accept: metadataOnly };
      const ask = (path: string) => async (fieldSelector: string) =>
        session.send(`${path.split('/').at(-1) ?? ''} ${fieldSelector}`, 'GET', path, {
          query: { fieldSelector },
          headers,
        });
      const ofConfigMaps = [
        'metadata.name=a',
        'metadata.name!=a',
        'metadata.name==b,metadata.name!=a',
        `metadata.namespace=${session.namespace}`,
        'metadata.namespace=other',
        'metadata.labels=a',
        'data=b',
        'metadata.name',
        'metadata.name>a',
        'metadata.name=a\\',
        'metadata.name=a=b',
        ',',
      ];
      for (const selector of ofConfigMaps) await ask(configMapsOf(session))(selector);
      const ofPods = ['spec.nodeName=on-one', 'spec.nodeName!=on-one', 'status.phase=Pending', 'spec.image=x'];
      for (const selector of ofPods) await ask(podsOf(session))(selector);
    },
  },
];

export const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

const selectors = [
  'app=web',
  'app==web',
  'app!=web',
  'app',
  '!app',
  'app in (web, db)',
  'app notin (db)',
  'app=web,tier=front',
  'app=web,!tier',
  'empty=',
  'app in ()',
  ' app = web ',
  'app=web,',
  ',app=web',
  'app in web',
  'app in (web',
  'app in web)',
  'app=(web)',
  'app=web=front',
  '=web',
  '!',
  'app web',
  'a b=c',
  'app=w/b',
  'app=-web',
  '-app=web',
  'a/b/c=d',
  'UPPER.example.com/app=web',
  'app>1',
  'app>x',
  'app<2',
  'app in (,)',
  `${'l'.repeat(64)}=x`,
  `app=${'l'.repeat(64)}`,
];
