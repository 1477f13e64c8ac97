import type { ReactNode } from 'react';

/** Returns the places where `sought` occurs in a text, ignoring case. `sought` is in lower case. */
export function matchesOf(text: string, sought: string): readonly (readonly [start: number, end: number])[] {
  const lower = text.toLowerCase();
  // Some letters are longer in lower case, which would shift the positions of matches.
  if (sought === '' || lower.length !== text.length) return [];
  const matches: (readonly [number, number])[] = [];
  for (let at = lower.indexOf(sought); at !== -1; at = lower.indexOf(sought, at + sought.length)) {
    matches.push([at, at + sought.length]);
  }
  return matches;
}

interface HighlightedProps {
  readonly text: string;
  readonly matches: readonly (readonly [start: number, end: number])[];
}

/** Renders a text with its matches highlighted. */
export function Highlighted({ text, matches }: HighlightedProps): ReactNode {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [from, to] of matches) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, text.slice(end)];
}
