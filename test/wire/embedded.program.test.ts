import { createApiServer } from 'rx-informers/testing';
import { differences, type Difference } from './compare.js';
import { covers, knownDifferences, matches } from './known-differences.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { scenarios } from './scenarios.js';
import { readTranscript } from './transcripts.js';
import { httpTarget } from './wire-target.js';

const known = knownDifferences();

const found = new Map<Scenario, Promise<readonly Difference[]>>();

/**
 * Returns where the embedded server answers otherwise than the real one did. A scenario runs once.
 */
function differencesOf(scenario: Scenario): Promise<readonly Difference[]> {
  const running = found.get(scenario) ?? compare(scenario);
  found.set(scenario, running);
  return running;
}

async function compare(scenario: Scenario): Promise<readonly Difference[]> {
  const server = await createApiServer();
  try {
    const target = { ...httpTarget(server.url), compact: async () => server.compact() };
    return differences(readTranscript(scenario), await runScenario(target, scenario));
  } finally {
    await server.close();
  }
}

describe('the embedded API server', () => {
  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'answers as the real one does, but for what docs/explanation/testing-differences.md lists: scenario %s',
    async (name, scenario) => {
      const all = await differencesOf(scenario);
      const unlisted = all.filter((difference) => !known.some((row) => covers(row, name, difference)));
      expect(unlisted).toEqual([]);
    },
    60_000,
  );

  it.each(known.map((row) => [row.row, row] as const))(
    'still has each difference that docs/explanation/testing-differences.md lists (if not, remove the row): %s',
    async (_, row) => {
      const covered: Difference[] = [];
      for (const scenario of scenarios.filter(({ name }) => matches(row.scenario, name))) {
        const all = await differencesOf(scenario);
        covered.push(...all.filter((difference) => covers(row, scenario.name, difference)));
      }
      expect(covered).not.toEqual([]);
    },
    60_000,
  );
});
