import { createApiServer } from 'rx-informers/testing';
import { differences, type Difference } from './compare.js';
import { covers, knownDifferences } from './known-differences.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { scenarios } from './scenarios.js';
import { readTranscript } from './transcripts.js';
import { httpTarget } from './wire-target.js';

const known = knownDifferences();

/** What the embedded server answers otherwise than the real one did. */
async function differencesOf(scenario: Scenario): Promise<readonly Difference[]> {
  const server = await createApiServer({ shardedListAndWatch: scenario.server === 'sharded' });
  try {
    const target = { ...httpTarget(server.url), compact: async () => server.compact() };
    return differences(readTranscript(scenario), await runScenario(target, scenario));
  } finally {
    await server.close();
  }
}

describe('the embedded API server', () => {
  const found = new Map<Scenario, readonly Difference[]>();

  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    'answers as the real one does, but for what docs/testing-differences.md lists: %s',
    async (name, scenario) => {
      const all = await differencesOf(scenario);
      found.set(scenario, all);
      const unlisted = all.filter((difference) => !known.some((row) => covers(row, name, difference)));
      expect(unlisted).toEqual([]);
    },
    60_000,
  );

  it.each(known.map((row) => [row.row, row] as const))(
    'still has the listed difference (if not, its row goes): %s',
    async (_, row) => {
      const covered = [...found].flatMap(([{ name }, all]) =>
        all.filter((difference) => covers(row, name, difference)),
      );
      expect(covered).not.toEqual([]);
    },
  );
});
