import { isDeepStrictEqual } from 'node:util';
import { defer, map, repeat, startWith, timer } from 'rxjs';
import { connect, type Cluster } from '../../support/cluster.js';
import { startRigWithControllers } from '../../support/controllers.js';
import { eventually, NeverError } from '../../support/eventually.js';
import type { Rig } from '../../support/rig.js';
import { idle } from './churn.js';
import { differentRows, plainAnswers, readStatements, statedAnswers } from './plain-answers.js';
import { cached, cookbookOf, inputsOf, listed, questions, type Answers, type Lists } from './questions.js';
import { changes, type Shop } from './shop.js';

/*
 * Kubernetes 1.20 has no generic ephemeral volumes, so the claims of such volumes are in the tests
 * of examples/cookbook only.
 */

const statements = Object.keys(statedAnswers);

let rig: Rig;
let report: Report;
beforeAll(async () => {
  rig = await startRigWithControllers();
  report = await changeAndCompare(connect(rig.kubeConfigFile));
  const { callbacks, rows } = report;
  console.info(`${changes.length} changes, ${callbacks} callbacks; rows compared at rest: ${JSON.stringify(rows)}`);
}, 600_000);
afterAll(() => rig.stop());

describe('the questions of the cookbook beside the controllers of Kubernetes', () => {
  it('the answers show each change', () => {
    expect(report.unseen).toEqual([]);
  });

  it.each(questions)('J2: after each change, the answer equals a plain function of lists: %s', (question) => {
    expect(report.differences.filter(({ about }) => about === question)).toEqual([]);
  });

  it.each(statements)('J2: after each change, the answer equals what controllers or Helm wrote: %s', (statement) => {
    expect(report.differences.filter(({ about }) => about === statement)).toEqual([]);
  });

  it.each(questions)('J1: in each callback, the answer equals a plain function of the caches: %s', (question) => {
    expect(report.glitches.filter(({ about }) => about === question).slice(0, 3)).toEqual([]);
    expect(report.callbacks).toBeGreaterThan(changes.length);
  });

  it.each(questions)('the changes cause different answers: %s', (question) => {
    expect(report.distinctAnswers(question)).toBeGreaterThan(1);
  });
});

interface Difference {
  /** A question, or a statement. */
  readonly about: string;
  readonly after: string;
  readonly rows: readonly string[];
}

interface Report {
  /** Changes that the answers did not show in time. */
  readonly unseen: readonly string[];
  readonly differences: readonly Difference[];
  readonly glitches: readonly Difference[];
  readonly callbacks: number;
  /** The number of rows that were compared at rest, by question. */
  readonly rows: Readonly<Record<string, number>>;
  distinctAnswers(question: keyof Answers): number;
}

/** Makes the changes one after the other, and compares the answers after each, and in callbacks. */
async function changeAndCompare(cluster: Cluster): Promise<Report> {
  const inputs = inputsOf(cluster.client);
  const cookbook = cookbookOf(inputs);
  const [namespace, other] = [await cluster.createNamespace(), await cluster.createNamespace()];
  const shop: Shop = { cluster, namespace, other, lists: () => cached(inputs) };
  const unseen: string[] = [];
  const differences: Difference[] = [];
  const glitches: Difference[] = [];
  const settled: Answers[] = [];
  let [callbacks, after] = [0, 'start'];

  const watched = cookbook.notifications$.subscribe();
  await cookbook.whenSynced();
  watched.add(
    cookbook.notifications$.subscribe(() => {
      callbacks += 1;
      glitches.push(...differencesFrom(plainAnswersTo(shop.lists()), cookbook.answers(), after));
    }),
  );
  const answers$ = cookbook.notifications$.pipe(
    startWith(undefined),
    map(() => cookbook.answers()),
  );
  const compared$ = defer(async () => {
    await idle(inputs);
    const [lists, stated, answers] = [await listed(cluster.client), await readStatements(cluster), cookbook.answers()];
    return [
      ...differencesFrom(plainAnswersTo(lists), answers, after),
      ...statements.flatMap((about) => {
        const [actual, expected] = statedAnswers[about]?.(answers, lists, stated) ?? [];
        if (isDeepStrictEqual(actual, expected)) return [];
        return [{ about, after, rows: [`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`] }];
      }),
    ];
  }).pipe(repeat({ delay: () => timer(100) }));
  for (const { name, make, shows } of changes) {
    after = name;
    await make(shop);
    await eventually(answers$, (answers) => shows(answers, shop)).catch((error: unknown) => {
      unseen.push(`${name}: ${(error as Error).message}`);
    });
    differences.push(...(await eventually(compared$, (found) => found.length === 0, 20_000).catch(lastOf)));
    settled.push(cookbook.answers());
    // The next changes build on this one.
    if (unseen.length > 0) break;
  }
  watched.unsubscribe();
  return {
    unseen,
    differences,
    glitches,
    callbacks,
    rows: Object.fromEntries(
      questions.map((question) => [
        question,
        settled.reduce((sum, answers) => sum + Object.keys(answers[question]).length, 0),
      ]),
    ),
    distinctAnswers: (question) => new Set(settled.map((answers) => JSON.stringify(answers[question]))).size,
  };
}

function plainAnswersTo(lists: Lists): Answers {
  return Object.fromEntries(questions.map((question) => [question, plainAnswers[question](lists)])) as Answers;
}

function differencesFrom(expected: Answers, actual: Answers, after: string): readonly Difference[] {
  return questions.flatMap((about) => {
    const rows = differentRows(actual[about], expected[about]);
    return rows.length === 0 ? [] : [{ about, after, rows }];
  });
}

/** Returns the last differences, if there were some until the end. */
function lastOf(error: unknown): readonly Difference[] {
  if (error instanceof NeverError && error.last !== undefined) return error.last.value as readonly Difference[];
  throw error;
}
