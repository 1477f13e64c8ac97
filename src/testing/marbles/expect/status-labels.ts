import type { SourceStatus } from '../../../sources/source-status.js';
import type { Cursor } from '../syntax/cursor.js';
import { parseMarbles } from '../syntax/parse-marbles.js';
import { stateOfLetter, statusLegend, statusLetters } from '../syntax/status-letters.js';
import { momentsOf, type Moment } from './moment.js';

/** Reads what is expected of a `status$`: one letter for each state. */
export function expectedStatuses(diagram: string): readonly Moment[] {
  return momentsOf(parseMarbles(diagram, parseState), labelOfStatus);
}

export function labelOfStatus({ state }: Pick<SourceStatus, 'state'>): string {
  return statusLetters[state];
}

function parseState(cursor: Cursor): Pick<SourceStatus, 'state'> {
  const state = stateOfLetter(cursor.next);
  if (state === undefined) return cursor.fail(`${cursor.next} is no status: ${statusLegend}`);
  cursor.take();
  return { state };
}
