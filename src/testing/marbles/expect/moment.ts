import type { Marble } from '../syntax/parse-marbles.js';

/** One thing that a stream did, or should have done. */
export interface Moment {
  readonly frame: number;
  /** As it is written in a diagram; `|` for completion and `#` for an error. */
  readonly label: string;
  /** What a reader of a failure wants to know beside it, for example the message of an error. */
  readonly detail?: string;
}

/** What a diagram expects, each token by its label. */
export function momentsOf<Token>(
  marbles: readonly Marble<Token>[],
  labelOf: (token: Token) => string,
): readonly Moment[] {
  return marbles.flatMap(({ frame, tokens, end }) => [
    ...tokens.map((token) => ({ frame, label: labelOf(token) })),
    ...(end === undefined ? [] : [{ frame, label: end === 'complete' ? '|' : '#' }]),
  ]);
}
