import type { Scale, Scenario } from '../model/scenario.js';
import { hashRanges, largestShare, movedShare, rendezvous, ring, type Split, uids } from '../scaling/split.js';

const KEYS: Readonly<Record<Scale, number>> = { full: 50_000, quick: 1000 };

const RANGES = 'hash ranges';
const RENDEZVOUS = 'rendezvous hashing';

const splits: Readonly<Record<string, Split>> = {
  [RANGES]: hashRanges,
  [RENDEZVOUS]: rendezvous,
  'ring with 100 points per replica': ring,
};

const replicas = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `controller-7c9d8f6b54-${(number * 7919).toString(36)}`);

const moved = (title: string) => ({ title, unit: '%', better: 'lower' }) as const;

export const resharding: Scenario = {
  name: 'resharding',
  title: 'Objects that move when replicas join and leave',
  description: [
    'A simulation: 50,000 random uids are divided among replicas in three ways: by equal ranges of hashes, by',
    'rendezvous hashing, and by a ring with 100 points for each replica. When a fifth replica joins four, at least',
    '20 % of the objects must move. When one of five leaves, at least its own 20 % must move. The second of the five',
    'is the one that leaves.',
  ].join(' '),
  contestants: Object.keys(splits),
  metrics: {
    joins2: moved('moves when a third joins two'),
    joins4: moved('moves when a fifth joins four'),
    joins8: moved('moves when a ninth joins eight'),
    leaves5: moved('moves when one of five leaves'),
    largest: { title: 'largest of eight shares, compared with the mean', unit: '×', better: 'lower' },
  },
  targets: [
    {
      figure: { contestant: RENDEZVOUS, metric: 'joins4' },
      is: 'at most',
      factor: 0.5,
      reference: { contestant: RANGES, metric: 'joins4' },
    },
  ],
  rounds: 1,
  run: (contestant, { scale }) => {
    const split = splits[contestant] as Split;
    const keys = uids(KEYS[scale]);
    const five = replicas(5);
    return Promise.resolve({
      joins2: movedShare(split, keys, replicas(2), replicas(3)),
      joins4: movedShare(split, keys, replicas(4), five),
      joins8: movedShare(split, keys, replicas(8), replicas(9)),
      leaves5: movedShare(split, keys, five, [...five.slice(0, 1), ...five.slice(2)]),
      largest: largestShare(split, keys, replicas(8)),
    });
  },
};
