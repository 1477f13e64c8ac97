import type { FigureOf, Scenario } from './scenario.js';

/**
 * Returns the mistakes in the definitions of scenarios, as sentences. Without this check, a mistake
 * would appear only after minutes of measuring.
 */
export function problemsOfScenarios(scenarios: readonly Scenario[]): readonly string[] {
  const names = scenarios.map(({ name }) => name);
  return [
    ...duplicatesIn(names).map((name) => `there are several scenarios of the name ${name}`),
    ...scenarios.flatMap((scenario) => problemsOf(scenario).map((problem) => `${scenario.name}: ${problem}`)),
  ];
}

function problemsOf({ name, contestants, metrics, targets, rounds }: Scenario): readonly string[] {
  const problemsOfFigure = ({ contestant, metric }: FigureOf): readonly string[] => [
    ...(contestants.includes(contestant) ? [] : [`a target is about ${contestant}, which is no contestant`]),
    ...(Object.hasOwn(metrics, metric) ? [] : [`a target is about ${metric}, which is no metric`]),
  ];
  return [
    ...(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? [] : ['its name is not in kebab-case']),
    ...(contestants.length > 0 ? [] : ['it has no contestants']),
    ...duplicatesIn(contestants).map((contestant) => `${contestant} takes part more than once`),
    ...(rounds === undefined || (Number.isInteger(rounds) && rounds > 0)
      ? []
      : ['its rounds are no positive whole number']),
    ...targets.flatMap(({ figure, reference }) =>
      [figure, ...(reference === undefined ? [] : [reference])].flatMap(problemsOfFigure),
    ),
  ];
}

function duplicatesIn(items: readonly string[]): readonly string[] {
  return [...new Set(items.filter((item, index) => items.indexOf(item) !== index))];
}
