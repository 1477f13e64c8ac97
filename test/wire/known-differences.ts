import { readFileSync } from 'node:fs';
import type { Difference } from './compare.js';

/** A row of the table in docs/explanation/testing-differences.md. `*` matches any text. */
export interface KnownDifference {
  readonly scenario: string;
  readonly step: string;
  readonly field: string;
  readonly row: string;
}

export function knownDifferences(): readonly KnownDifference[] {
  return parseTable(readFileSync('docs/explanation/testing-differences.md', 'utf8'));
}

/** Reads the rows of every table that begins with the columns scenario, step and field. */
export function parseTable(markdown: string): readonly KnownDifference[] {
  let inTable = false;
  return markdown.split('\n').flatMap((row): readonly KnownDifference[] => {
    const cells = cellsOf(row);
    if (cells.length === 0) {
      inTable = false;
      return [];
    }
    const [scenario = '', step = '', field = ''] = cells;
    if (scenario === 'scenario' && step === 'step' && field === 'field') {
      inTable = true;
      return [];
    }
    if (!inTable || /^-+$/.test(scenario)) return [];
    if (cells.length !== 4 || cells.includes('')) throw new Error(`not a row of four cells: ${row}`);
    return [{ scenario, step, field, row }];
  });
}

/** Returns true if a row describes a difference of a scenario. */
export function covers(known: KnownDifference, scenario: string, { step, field }: Difference): boolean {
  return matches(known.scenario, scenario) && matches(known.step, step) && matches(known.field, field);
}

function cellsOf(row: string): readonly string[] {
  if (!row.startsWith('|')) return [];
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1'));
}

/** Returns true if a text matches a pattern in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
