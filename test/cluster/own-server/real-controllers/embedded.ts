import { isDeepStrictEqual } from 'node:util';
import { namespaces, type KubeClient } from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { createInMemoryApiServer } from 'rx-informers/testing';
import { defer, repeat, timer } from 'rxjs';
import { forEach, type Cluster } from '../../support/cluster.js';
import { eventually } from '../../support/eventually.js';
import { carryOut, createPlanned, randomPlan, survivors, type DeletionPlan } from './deletions.js';

/** What a comparison of the embedded server with real controllers found. */
export interface DeletionReport {
  deletions: number;
  /** The number of objects that were left after the deletions, in all comparisons. */
  survivors: number;
  /**
   * How often the real garbage collector left other objects than the embedded one, but left the
   * same ones when the same plan was carried out again: its result depends on the order of its
   * workers.
   */
  races: number;
  readonly differences: string[];
}

/** Milliseconds: Kubernetes looks again at a namespace with remaining objects after up to 15 s. */
const patience = 25_000;
/** How often a plan is carried out before a difference counts. */
const attempts = 4;

/**
 * Carries out random deletions on a server with real controllers and on the embedded one. After
 * each deletion, both must have the same objects, with the same owners and finalizers.
 */
export async function compareDeletions(cluster: Cluster, random: () => number, plans: number): Promise<DeletionReport> {
  const report: DeletionReport = { deletions: 0, survivors: 0, races: 0, differences: [] };
  const all = Array.from({ length: plans }, () => randomPlan(random));
  await forEach(
    all,
    async (plan) => {
      for (let attempt = 1; ; attempt += 1) {
        const difference = await compareOnce(cluster, plan, report);
        if (difference === undefined) return;
        if (attempt === attempts) return report.differences.push(difference);
        report.races += 1;
      }
    },
    8,
  );
  report.races -= report.differences.length * (attempts - 1);
  return report;
}

/** Returns the first difference, or undefined. */
async function compareOnce(cluster: Cluster, plan: DeletionPlan, report: DeletionReport): Promise<string | undefined> {
  const { client } = cluster;
  const embedded = createInMemoryApiServer();
  const namespace = await cluster.createNamespace();
  await resourceClient(embedded.client, namespaces).create({ metadata: { name: namespace } });
  try {
    await createPlanned(client, namespace, plan);
    await createPlanned(embedded.client, namespace, plan);
    for (const [index, deletion] of plan.deletions.entries()) {
      await carryOut(embedded.client, namespace, deletion);
      await carryOut(client, namespace, deletion);
      await workedOff(client, namespace, `canary-${index}`);
      const expected = await survivors(embedded.client, namespace);
      const found = await comparedSurvivors(client, namespace, expected);
      report.deletions += 1;
      report.survivors += found.length;
      if (isDeepStrictEqual(found, expected)) continue;
      const done = JSON.stringify(plan.deletions.slice(0, index + 1));
      return [`${done} of ${JSON.stringify(plan.objects)}`, 'real:', ...found, 'embedded:', ...expected].join('\n');
    }
    return undefined;
  } finally {
    embedded.stop();
  }
}

/** Resolves with what is left when it is what is expected, or after a while. */
async function comparedSurvivors(
  client: KubeClient,
  namespace: string,
  expected: readonly string[],
): Promise<readonly string[]> {
  let found: readonly string[] = [];
  const found$ = defer(() => survivors(client, namespace)).pipe(repeat({ delay: () => timer(200) }));
  const isSame = (lines: readonly string[]): boolean => isDeepStrictEqual((found = lines), expected);
  return eventually(found$, isSame, patience).catch(() => found);
}

/**
 * Resolves when the garbage collector has removed a dependent that lost its owner after everything
 * else, so that an early agreement is not taken for the last one.
 */
async function workedOff(client: KubeClient, namespace: string, name: string): Promise<void> {
  const canary: DeletionPlan = {
    objects: [
      { name, owners: [], isHeld: false },
      { name: `${name}-dependent`, owners: [{ name, blocks: false }], isHeld: false },
    ],
    deletions: [],
  };
  // A namespace that is being deleted accepts no objects, and ends in one direction only.
  const isOpen = await createPlanned(client, namespace, canary).then(
    () => true,
    () => false,
  );
  if (!isOpen) return;
  await carryOut(client, namespace, { name, policy: 'Background' });
  const lines$ = defer(() => survivors(client, namespace)).pipe(repeat({ delay: () => timer(100) }));
  await eventually(lines$, (lines) => !lines.some((line) => line.startsWith(name)));
}
