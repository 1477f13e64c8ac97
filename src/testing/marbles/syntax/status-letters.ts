import type { SourceStatus } from '../../../sources/source-status.js';

/** The letters that stand for what a source is doing. */
export const statusLetters = {
  listing: 'l',
  watching: 'w',
  reconnecting: 'r',
  'backing-off': 'b',
  forbidden: 'f',
  'not-found': 'n',
  stopped: 's',
} as const satisfies Readonly<Record<SourceStatus['state'], string>>;

/** What the letters stand for, to be read in an error. */
export const statusLegend = Object.entries(statusLetters)
  .map(([state, letter]) => `${letter} ${state}`)
  .join(', ');

export function stateOfLetter(letter: string): SourceStatus['state'] | undefined {
  const [state] = Object.entries(statusLetters).find(([, known]) => known === letter) ?? [];
  return state as SourceStatus['state'] | undefined;
}
