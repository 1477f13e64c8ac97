import { shardFilter } from '../../src/sources/reflector/shard.js';
import type { Figures, Scale, Scenario } from '../model/scenario.js';
import { uids } from '../scaling/split.js';

const OBJECTS: Readonly<Record<Scale, number>> = { full: 50_000, quick: 1000 };
const NAMESPACES = 50;
const COUNTS = [2, 4, 8] as const;

const BY_UID = 'by uid';

type Names = (number: number) => string;

const contestants: Readonly<Record<string, { readonly by: 'uid' | 'namespace'; readonly names: Names }>> = {
  [BY_UID]: { by: 'uid', names: numbered },
  'by namespace, random names': { by: 'namespace', names: random },
  'by namespace, numbered names': { by: 'namespace', names: numbered },
};

function numbered(number: number): string {
  return `team-${10 + number}`;
}

/**
 * Returns a name with five characters, like those that API servers append to generated names. The
 * same number always has the same name.
 */
function random(number: number): string {
  return `preview-${((number * 2_654_435_761) % 60_466_176).toString(36).padStart(5, '0')}`;
}

interface Identity {
  readonly uid: string;
  readonly namespace: string;
}

export const shardBalance: Scenario = {
  name: 'shard-balance',
  title: 'Balance of shards',
  description: [
    '50,000 objects with random uids in 50 namespaces of equal size, sharded by `uid` and by `namespace`. The figure',
    'is the size of the largest shard, divided by the mean size, for 2, 4 and 8 shards. The namespaces have names like `preview-x7k2q`, or',
    'are `team-10` to `team-59`. The figures are computed, not measured: they are the same on every machine.',
  ].join(' '),
  contestants: Object.keys(contestants),
  metrics: Object.fromEntries(
    COUNTS.map((count) => [
      `of${count}`,
      { title: `largest of ${count} shards`, unit: '×' as const, better: 'lower' as const },
    ]),
  ),
  targets: [{ figure: { contestant: BY_UID, metric: 'of8' }, is: 'at most', factor: 1.1 }],
  rounds: 1,
  run: (contestant, { scale }) => {
    const { by, names } = contestants[contestant] ?? { by: 'uid', names: numbered };
    return Promise.resolve(run(by, names, OBJECTS[scale]));
  },
};

function run(by: 'uid' | 'namespace', names: Names, objects: number): Figures {
  const identities = uids(objects).map((uid, number) => ({ uid, namespace: names(number % NAMESPACES) }));
  return Object.fromEntries(COUNTS.map((count) => [`of${count}`, largestShard(identities, count, by)]));
}

function largestShard(identities: readonly Identity[], count: number, by: 'uid' | 'namespace'): number {
  const sizes = Array.from({ length: count }, (_, index) => {
    const { owns } = shardFilter({ index, count, by });
    return identities.filter((metadata) => owns({ metadata })).length;
  });
  return (Math.max(...sizes) * count) / identities.length;
}
