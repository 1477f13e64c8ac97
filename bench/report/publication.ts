import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Scenario } from '../model/scenario.js';
import { evaluate } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import { chartOf } from './chart.js';
import { fillFigures } from './fill-figures.js';
import { renderPage } from './page.js';
import { parseResults, renderResults } from './results-file.js';

/** The place to which results are written. */
interface Place {
  /**
   * The folder of `results.json` and the charts. The folder above it contains the folders of the
   * pages.
   */
  readonly folder: string;
  readonly hasPages: boolean;
}

/**
 * Hand-written pages into which figures are filled. The paths are relative to the parent of the
 * results folder.
 */
const filledPages = ['explanation/performance.md', 'how-to/large-clusters.md'];

/** Returns the contents of every file that is generated from the measurements, by path. */
export async function filesOf(
  scenarios: readonly Scenario[],
  measurements: readonly Measurement[],
  { folder, hasPages }: Place,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map([[resultsPath(folder), await renderResults(scenarios, measurements)]]);
  for (const { scenario: name, figures } of measurements) {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario !== undefined)
      files.set(join(folder, `${name}.svg`), await chartOf(scenario, evaluate(scenario, figures)));
  }
  if (!hasPages) return files;
  const pages = dirname(folder);
  const charts = `../${basename(folder)}`;
  files.set(join(pages, 'contributing', 'benchmarks.md'), renderPage({ scenarios, measurements, charts }));
  for (const name of filledPages) {
    const path = join(pages, name);
    const text = readIfExists(path);
    if (text !== undefined) files.set(path, fillFigures(text, scenarios, measurements));
  }
  return files;
}

/** Returns the earlier measurements, or an empty list if there is no `results.json` yet. */
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

/**
 * Returns the differences between `files` and the disk, as sentences. A file in the folder that is
 * not in `files` is a difference, too.
 */
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
