import { shardOf } from 'rx-informers/shard';
import type { Figures, Scale, Scenario } from '../model/scenario.js';
import { followPods } from '../scaling/follow.js';
import { withApiServer } from '../scaling/start-api-server.js';

const PODS: Readonly<Record<Scale, number>> = { full: 20_000, quick: 1000 };

interface Contestant {
  readonly count: number;
  readonly shardedListAndWatch: boolean;
}

const EVERYTHING = 'one replica';
const SERVER = (count: number): string => `1 of ${count}, server shards`;
const CLIENT = (count: number): string => `1 of ${count}, client filters`;

const contestants: Readonly<Record<string, Contestant>> = {
  [EVERYTHING]: { count: 1, shardedListAndWatch: true },
  [SERVER(2)]: { count: 2, shardedListAndWatch: true },
  [SERVER(4)]: { count: 4, shardedListAndWatch: true },
  [SERVER(8)]: { count: 8, shardedListAndWatch: true },
  [CLIENT(2)]: { count: 2, shardedListAndWatch: false },
  [CLIENT(4)]: { count: 4, shardedListAndWatch: false },
  [CLIENT(8)]: { count: 8, shardedListAndWatch: false },
};

const figure = (contestant: string, metric: string) => ({ contestant, metric });

export const shards: Scenario = {
  name: 'shards',
  title: 'First sync of one of several sharded replicas',
  description: [
    'The first sync of one of 1, 2, 4 and 8 informers with the option `shard`, by a streaming list of 20,000 pods.',
    'There are two kinds of server. One selects the objects of a shard itself, as Kubernetes 1.36 does behind its',
    'feature gate. The other ignores `shardSelector`, so the client receives all objects and drops those of other',
    'shards. Both are `createApiServer` of `rx-informers/testing`, in a process of its own.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: {
    read: { title: 'read from the server', unit: 'MB', better: 'lower' },
    processor: { title: 'processor time', unit: 'ms', better: 'lower' },
    heap: { title: 'heap of the cache', unit: 'MB', better: 'lower' },
  },
  targets: [
    // With server shards, one of eight replicas needs an eighth of what a single replica needs,
    // plus a margin for chance. A client that filters receives all objects, but must not parse
    // those that it drops, so it needs less processor time.
    { figure: figure(SERVER(8), 'read'), is: 'at most', factor: 0.15, reference: figure(EVERYTHING, 'read') },
    { figure: figure(SERVER(8), 'heap'), is: 'at most', factor: 0.25, reference: figure(EVERYTHING, 'heap') },
    { figure: figure(CLIENT(8), 'processor'), is: 'at most', factor: 0.8, reference: figure(EVERYTHING, 'processor') },
  ],
  rounds: 3,
  run: (contestant, { scale }) => run(contestants[contestant] as Contestant, PODS[scale]),
};

function run({ count, shardedListAndWatch }: Contestant, pods: number): Promise<Figures> {
  return withApiServer({ pods, namespaces: 20, shardedListAndWatch }, async (url) => {
    const { read, processor, heap, stop } = await followPods(url, { shard: shardOf({ index: 0, count }) });
    stop();
    return { read, processor, heap };
  });
}
