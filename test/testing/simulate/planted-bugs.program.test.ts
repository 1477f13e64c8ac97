import { simulate } from 'rx-informers/testing';
import { failureOf } from './failure-of.js';
import { narrowBugs, plantedBugs } from './planted-bugs.js';
import { publishedIncidents } from './published-incidents.js';
import { websiteProgram } from './website-program.js';

/** A seed that shows each bug or incident, which the study `simulate:bars` has found. */
const seeds: Readonly<Record<string, number>> = {
  'stale read': 27,
  'missed intermediate state': 2,
  'unobserved deletion': 115,
  'write fight': 44,
  'lost requeue': 8,
  'double create': 216,
  'orphan after crash': 4,
  'status ping-pong': 5,
  starvation: 9,
  'leader overlap': 11,
  'swallowed conflict': 31,
  'reordered writes': 137,
  'fixed lease time': 3,
  'read between slices': 19,
  'retried create': 46,
  'swallowed unavailability': 26,
  'forgotten parent': 279,
  'coarse watermark': 7,
  'ungained key': 3,
  'kubernetes-sigs/cluster-api#13649': 86,
  'ray-project/kuberay#715': 4,
  'instaclustr/cassandra-operator#398': 2,
  'rabbitmq/cluster-operator#782': 26,
  'opensearch-project/opensearch-k8s-operator#1471': 107,
};

describe('simulate with a planted bug or a published incident', () => {
  const bugs = Object.entries({ ...plantedBugs, ...narrowBugs, ...publishedIncidents });
  it.each(bugs.filter(([name]) => name in seeds))('finds: %s', async (name, { buggy, corrected }) => {
    const seed = seeds[name] ?? 1;
    expect(await failureOf({ ...buggy, seed, runs: 1 })).toMatchObject({ code: 'RXI_SIMULATION', seed });
    expect((await simulate({ ...corrected, seed, runs: 1 })).runs).toBe(1);
  });
});

describe('simulate with the website operator', () => {
  it('finds no failure in a few schedules', async () => {
    expect((await simulate({ ...websiteProgram, runs: 3 })).runs).toBe(3);
  });
});
