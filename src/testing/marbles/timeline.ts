import { RxInformersError } from '../../kubernetes/errors.js';
import type { Marble } from './parse-marbles.js';

/** One notification of a stream, expected or actual. */
export interface TimelineMoment {
  readonly frame: number;
  /** The notification as in a diagram: `|` for completion and `#` for an error. */
  readonly label: string;
  /** More information for the reader of a failure, for example the message of an error. */
  readonly detail?: string;
}

/** Returns the moments that a diagram expects. */
export function momentsOf<Token>(
  marbles: readonly Marble<Token>[],
  labelOf: (token: Token) => string,
): readonly TimelineMoment[] {
  return marbles.flatMap(({ frame, tokens, end }) => [
    ...tokens.map((token) => ({ frame, label: labelOf(token) })),
    ...(end === undefined ? [] : [{ frame, label: end === 'complete' ? '|' : '#' }]),
  ]);
}

export function marbleAssertionError(
  subject: string,
  expected: readonly TimelineMoment[],
  actual: readonly TimelineMoment[],
): RxInformersError<'RXI_MARBLE_ASSERTION'> {
  const message = `${subject} differs from its diagram\n\n${renderTimeline(expected, actual)}\n`;
  return new RxInformersError('RXI_MARBLE_ASSERTION', message, { subject, expected, actual });
}

interface Row {
  readonly time: string;
  readonly expected: string;
  readonly actual: string;
  readonly verdict: string;
}

/** Returns true if `expected` and `actual` have the same moments in the same frames. */
export function isAsExpected(expected: readonly TimelineMoment[], actual: readonly TimelineMoment[]): boolean {
  return (
    expected.length === actual.length &&
    expected.every(({ frame, label }, position) => {
      const other = actual[position];
      return other?.frame === frame && other.label === label;
    })
  );
}

/** Shows expected and actual moments side by side, and marks each difference. */
function renderTimeline(expected: readonly TimelineMoment[], actual: readonly TimelineMoment[]): string {
  const frames = [...new Set([...expected, ...actual].map(({ frame }) => frame))].sort((one, other) => one - other);
  const rows = frames.flatMap((frame) => rowsOf(frame, at(expected, frame), at(actual, frame)));
  const heading: Row = { time: 'time', expected: 'expected', actual: 'actual', verdict: '' };
  const widths = widthsOf([heading, ...rows]);
  return [heading, ...rows].map((row) => renderRow(row, widths)).join('\n');
}

function at(moments: readonly TimelineMoment[], frame: number): readonly TimelineMoment[] {
  return moments.filter((moment) => moment.frame === frame);
}

function rowsOf(frame: number, expected: readonly TimelineMoment[], actual: readonly TimelineMoment[]): readonly Row[] {
  return Array.from({ length: Math.max(expected.length, actual.length) }, (_, position) => {
    const should = expected[position];
    const did = actual[position];
    return {
      time: `${frame}ms`,
      expected: should === undefined ? '' : momentText(should),
      actual: did === undefined ? '' : momentText(did),
      verdict: verdictOf(should, did),
    };
  });
}

function verdictOf(expected: TimelineMoment | undefined, actual: TimelineMoment | undefined): string {
  if (expected === undefined) return '✗ not expected';
  if (actual === undefined) return '✗ missing';
  return expected.label === actual.label ? '' : '✗ different';
}

function momentText({ label, detail }: TimelineMoment): string {
  return detail === undefined ? label : `${label} ${detail}`;
}

type Widths = Readonly<Record<'time' | 'expected' | 'actual', number>>;

function widthsOf(rows: readonly Row[]): Widths {
  const widest = (column: keyof Widths): number => Math.max(...rows.map((row) => row[column].length));
  return { time: widest('time'), expected: widest('expected'), actual: widest('actual') };
}

function renderRow({ time, expected, actual, verdict }: Row, widths: Widths): string {
  const cells = [time.padStart(widths.time), expected.padEnd(widths.expected), actual.padEnd(widths.actual), verdict];
  return `  ${cells.join('  ')}`.trimEnd();
}
