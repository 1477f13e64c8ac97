import type { Scenario } from '../scenario.js';
import { configMap } from './objects.js';

/**
 * The halves of the hash range. The hash of `green` is in the lower half, the hash of `red` in the
 * upper half.
 */
const lower = "shardRange(object.metadata.namespace, '0x0000000000000000', '0x8000000000000000')";
const upper = "shardRange(object.metadata.namespace, '0x8000000000000000', '0x10000000000000000')";
const ofUid = (start: string, end: string): string => `shardRange(object.metadata.uid, ${start}, ${end})`;
const [zero, middle, whole] = ["'0x0000000000000000'", "'0x8000000000000000'", "'0x10000000000000000'"] as const;

const everywhere = '/api/v1/configmaps';
const configMapsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

/** Malformed shard selectors. The transcript has the server's response to each. */
const malformed = [
  '  ',
  'x',
  'a.b',
  'true',
  "other(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
  `${lower} && ${upper}`,
  `!${lower}`,
  `${lower} || true`,
  "shardRange(object.metadata.uid, '0x0000000000000000')",
  "shardRange('object.metadata.uid', '0x0000000000000000', '0x8000000000000000')",
  "shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')",
  ofUid('0', '1'),
  ofUid(zero, '1'),
  ofUid("'0'", middle),
  ofUid("'0x'", middle),
  ofUid("'0x0'", middle),
  ofUid(zero, "'0x8'"),
  ofUid("'0x0g'", middle),
  ofUid("'0x00000000000000AB'", middle),
  ofUid("'0x000000000000000000'", middle),
  ofUid(zero, "'0x10000000000000001'"),
  ofUid(middle, middle),
  ofUid(middle, zero),
  ofUid(whole, whole),
  `${ofUid(zero, middle)} || ${lower}`,
];

export const shardScenarios: readonly Scenario[] = [
  {
    name: 'shards',
    server: 'sharded',
    run: async (session) => {
      for (const name of ['green', 'red']) {
        await session.silently('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
        for (const object of ['a', 'b', 'c']) {
          await session.silently('POST', configMapsOf(name), { body: configMap(object) });
        }
      }
      const list = (step: string, query: Readonly<Record<string, string>>, headers = {}) =>
        session.send(step, 'GET', everywhere, { query, headers });
      await list('the lower half', { shardSelector: lower });
      await list('the upper half', { shardSelector: upper });
      await list('both, spelled otherwise', { shardSelector: ` (${lower})||${upper.replaceAll("'", '"')} ` });
      await list('from the cache', { shardSelector: upper, resourceVersion: '0' });
      await list('with a label selector', { shardSelector: upper, labelSelector: 'app=web' });
      const first = await list('a first page', { shardSelector: upper, limit: '1' });
      await list('the next', { shardSelector: upper, limit: '1', continue: first.continue });
      await list('the next without the shard', { limit: '1', continue: first.continue });
      await list('the next of another shard', { shardSelector: lower, limit: '1', continue: first.continue });
      const accept = (kind: string) => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });
      await list('metadata only', { shardSelector: upper }, accept('PartialObjectMetadataList'));
      await list('a table', { shardSelector: upper }, accept('Table'));
      await session.send('what has no namespace', 'GET', '/api/v1/namespaces', { query: { shardSelector: lower } });
      await session.send('one object', 'GET', `${configMapsOf('green')}/a`, { query: { shardSelector: 'x' } });

      const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
      const watch = await session.watch('a watch', everywhere, { query: { shardSelector: upper, ...initial } });
      await watch.take(4);
      for (const namespace of ['green', 'red']) {
        await session.silently('POST', configMapsOf(namespace), { body: configMap('d') });
        await session.silently('PUT', `${configMapsOf(namespace)}/d`, { body: configMap('d', {}, { key: 'other' }) });
        await session.silently('DELETE', `${configMapsOf(namespace)}/d`);
      }
      await watch.take(3);
      watch.close();
      const deleteOf = (step: string, namespace: string) =>
        session.send(step, 'DELETE', configMapsOf(namespace), { query: { shardSelector: upper } });
      await deleteOf('delete what is of the shard', 'red');
      await deleteOf('delete what is not', 'green');
    },
  },
  {
    name: 'shards-malformed',
    server: 'sharded',
    run: async (session) => {
      for (const shardSelector of malformed) {
        await session.send(shardSelector, 'GET', everywhere, { query: { shardSelector } });
      }
      await session.send('unfinished', 'GET', everywhere, { query: { shardSelector: `${lower} ||` } });
      const bad = (step: string, query: Readonly<Record<string, string>>) =>
        session.send(step, 'GET', everywhere, { query: { shardSelector: 'x', ...query } });
      await bad('beside a bad match', { resourceVersionMatch: 'Exact' });
      await bad('beside a bad field', { fieldSelector: 'spec.none=x' });
      await bad('beside a bad version', { resourceVersion: 'abc' });
      await bad('beside a bad token', { continue: 'nonsense' });
      await bad('of a watch', { watch: 'true' });
    },
  },
  {
    name: 'shards-unknown',
    run: async (session) => {
      const path = `/api/v1/namespaces/${session.namespace}/configmaps`;
      await session.silently('POST', path, { body: configMap('a') });
      for (const shardSelector of [lower, upper, 'x', '']) {
        await session.send(`ignored: ${shardSelector || 'empty'}`, 'GET', path, { query: { shardSelector } });
      }
    },
  },
];
