const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/**
 * Returns a figure with three digits. A figure of 100 or more keeps all digits before the point.
 * Examples: 1,234 and 12.3 and 0.0123.
 */
export function formatFigure(figure: number): string {
  return (Math.abs(figure) >= 100 ? WHOLE : THREE_DIGITS).format(figure);
}

/** Returns a text such as `1.3 ×`. */
export function formatRatio(ratio: number): string {
  return `${formatFigure(ratio)} ×`;
}

/** Returns a text such as `8 %`. */
export function formatShare(share: number): string {
  return `${formatFigure(Math.round(share * 1000) / 10)} %`;
}

type Alignment = 'left' | 'right';

/** Returns a table of plain cells. A vertical bar within a cell is escaped. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment: readonly Alignment[] = [],
): string {
  const rule = head.map((_, column) => (alignment[column] === 'right' ? '---:' : '---'));
  return [head, rule, ...rows].map((cells) => `| ${cells.map(escapeBars).join(' | ')} |`).join('\n');
}

function escapeBars(cell: string): string {
  return cell.replaceAll('|', '\\|');
}
