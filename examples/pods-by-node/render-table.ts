import Table from 'cli-table3';
import type { ClusterView, GroupView } from './cluster-view.js';

/** How many rows of each table fit on a screen of that height; what does not fit is counted in the last row. */
const LINES_AROUND_TABLES = 12;

/** The whole screen as text. */
export function renderScreen(title: string, status: string, view: ClusterView | undefined, rows = 40): string {
  if (!view) return `${title}\n${status}\n`;
  const room = Math.max(3, rows - LINES_AROUND_TABLES);
  const nodes = renderGroups('node', view.nodes, Math.ceil(room / 2));
  const apps = renderGroups('app', view.apps, Math.floor(room / 2));
  return `${title}\n${status} · ${view.pods} pods on ${view.nodes.length} nodes\n\n${nodes}\n${apps}\n`;
}

function renderGroups(heading: string, groups: readonly GroupView[], room: number): string {
  const table = new Table({
    head: [heading, 'pods', 'running', 'pending', 'other', ''],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
    style: { head: ['cyan'], border: ['grey'], compact: true },
  });
  const shown = groups.slice(0, room);
  const most = Math.max(1, ...groups.map(({ pods }) => pods));
  for (const { name, pods, running, pending, other } of shown) {
    table.push([name, pods, running, pending, other, bar(running, pending, most)]);
  }
  const hidden = groups.length - shown.length;
  if (hidden > 0) table.push([`… ${hidden} more`, '', '', '', '', '']);
  return table.toString();
}

const BAR_WIDTH = 24;

function bar(running: number, pending: number, most: number): string {
  const width = (count: number): number => Math.round((count / most) * BAR_WIDTH);
  return '█'.repeat(width(running)) + '░'.repeat(width(pending));
}
