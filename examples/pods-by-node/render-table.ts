import Table, { type HorizontalAlignment } from 'cli-table3';
import { describeCpu, phasesOf, type Load, type NodeLoad } from './cluster-view.js';

/** The content of the tables. */
export interface Content {
  readonly nodes: readonly NodeLoad[];
  readonly apps: readonly Load[];
  readonly pods: number;
}

/**
 * The number of screen lines that are not rows of the tables. The remaining lines limit the rows.
 * If not all rows fit, the last row of a table counts the others.
 */
const LINES_AROUND_TABLES = 16;

/** Returns the whole screen as text. */
export function renderScreen(title: string, status: string, content: Content | undefined, rows = 40): string {
  if (!content) return `${title}\n${status}\n`;
  const { nodes, apps, pods } = content;
  const room = Math.max(3, rows - LINES_AROUND_TABLES);
  const nodeTable = renderLoads([named('node'), zone, ...common], nodes, Math.ceil(room / 2));
  const appTable = renderLoads([named('app'), ...common], apps, Math.floor(room / 2));
  return `${title}\n${status}\n${pods} pods on ${nodes.length} nodes\n\n${nodeTable}\n${appTable}\n`;
}

interface Column {
  readonly head: string;
  readonly align: HorizontalAlignment;
  /** @param most the pods of the largest load */
  readonly cell: (load: NodeLoad, most: number) => string | number;
}

const named = (head: string): Column => ({ head, align: 'left', cell: ({ group }) => group });
const zone: Column = { head: 'zone', align: 'left', cell: (load) => load.zone ?? '' };
const common: readonly Column[] = [
  { head: 'pods', align: 'right', cell: ({ pods }) => pods },
  { head: 'running', align: 'right', cell: (load) => phasesOf(load).running },
  { head: 'pending', align: 'right', cell: (load) => phasesOf(load).pending },
  { head: 'other', align: 'right', cell: (load) => phasesOf(load).other },
  { head: 'CPU', align: 'right', cell: describeCpu },
  { head: '', align: 'left', cell: bar },
];

function renderLoads(columns: readonly Column[], loads: readonly NodeLoad[], room: number): string {
  const table = new Table({
    head: columns.map(({ head }) => head),
    colAligns: columns.map(({ align }) => align),
    style: { head: ['cyan'], border: ['grey'], compact: true },
  });
  const shown = loads.slice(0, room);
  const most = Math.max(1, ...loads.map(({ pods }) => pods));
  for (const load of shown) table.push(columns.map(({ cell }) => cell(load, most)));
  const hidden = loads.length - shown.length;
  if (hidden > 0) table.push(columns.map((_, position) => (position === 0 ? `… ${hidden} more` : '')));
  return table.toString();
}

const BAR_WIDTH = 6;

function bar(load: NodeLoad, most: number): string {
  const { running, pending } = phasesOf(load);
  const width = (count: number): number => Math.round((count / most) * BAR_WIDTH);
  return '█'.repeat(width(running)) + '░'.repeat(width(pending));
}
