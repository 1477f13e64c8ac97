import { inspect } from 'node:util';
import type { Scenario } from '../model/scenario.js';
import type { Answer, Assignment } from './run-contestant.js';

/*
 * The process of one contestant in one round. It measures, answers and ends. If its parent ends, it
 * ends without an answer.
 */
process.once('disconnect', () => process.exit());
process.once('message', (assignment) => {
  // The channel does not keep the process alive. So a contestant that waits for nothing ends here,
  // instead of running into its timeout.
  process.channel?.unref();
  void carryOut(assignment as Assignment).then((answer) =>
    process.send?.(answer, undefined, undefined, () => process.exit()),
  );
});

async function carryOut({ module, scenario: name, contestant, context }: Assignment): Promise<Answer> {
  try {
    const exported = Object.values((await import(module)) as Readonly<Record<string, unknown>>);
    const scenario = exported.filter(isScenario).find((candidate) => candidate.name === name);
    if (scenario === undefined) throw new Error(`${module} exports no scenario of the name ${name}`);
    return { type: 'figures', figures: await scenario.run(contestant, context) };
  } catch (error) {
    return { type: 'error', error: inspect(error) };
  }
}

function isScenario(value: unknown): value is Scenario {
  return typeof value === 'object' && value !== null && 'name' in value && 'run' in value;
}
