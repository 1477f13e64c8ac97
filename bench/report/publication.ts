import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { evaluate } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import type { Scenario } from '../scenario.js';
import { chartOf } from './chart.js';
import { fillFigures } from './fill-figures.js';
import { renderPage } from './page.js';
import { parseResults, renderResults } from './results-file.js';

/** Where results are written to. */
export interface Place {
  /** Has `results.json` and the charts; the page is beside it, and called as it is. */
  readonly folder: string;
  /** Where the notes are, each called as its scenario. */
  readonly notes: string;
  readonly hasPage: boolean;
}

/** Every file that measurements give, by its path. */
export async function filesOf(
  scenarios: readonly Scenario[],
  measurements: readonly Measurement[],
  { folder, notes, hasPage }: Place,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map([[resultsPath(folder), await renderResults(scenarios, measurements)]]);
  for (const { scenario: name, figures } of measurements) {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario !== undefined)
      files.set(join(folder, `${name}.svg`), await chartOf(scenario, evaluate(scenario, figures)));
  }
  if (hasPage) {
    const noteOf = (name: string): string | undefined => readIfExists(join(notes, `${name}.md`));
    files.set(
      join(dirname(folder), `${basename(folder)}.md`),
      renderPage({ scenarios, measurements, noteOf, charts: basename(folder) }),
    );
    // Written by hand, but for its figures.
    const scaling = join(dirname(folder), 'scaling.md');
    const text = readIfExists(scaling);
    if (text !== undefined) files.set(scaling, fillFigures(text, scenarios, measurements));
  }
  return files;
}

/** What was measured before; nothing where there is no `results.json` yet. */
export function readMeasurements(folder: string): readonly Measurement[] {
  const text = readIfExists(resultsPath(folder));
  return text === undefined ? [] : parseResults(text);
}

export function writeFiles(files: ReadonlyMap<string, string>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** In sentences: what is not as `files` say, and what lies in the folder beside them. */
export function differencesFrom(files: ReadonlyMap<string, string>, folder: string): readonly string[] {
  const present = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [
    ...[...files].flatMap(([path, content]) => {
      const found = readIfExists(path);
      if (found === content) return [];
      return found === undefined ? `${path} is missing` : `${path} is not what the results give`;
    }),
    ...present.filter((path) => !files.has(path)).map((path) => `${path} belongs to no scenario`),
  ];
}

function resultsPath(folder: string): string {
  return join(folder, 'results.json');
}

function readIfExists(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
