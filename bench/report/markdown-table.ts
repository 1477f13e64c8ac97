export type Alignment = 'left' | 'right';

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
