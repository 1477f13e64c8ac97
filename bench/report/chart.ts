import { parse, resetSVGDefIds, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Scenario } from '../model/scenario.js';
import { isOurs, type Evaluation, type MetricResult } from '../results/evaluate.js';
import { formatFigure } from './format.js';

const OURS = '#c2185b';
const OTHERS = '#9aa7b4';
const SPREAD = '#37474f';
const INK = '#263238';

const ROW_HEIGHT = 40;
const BAR_HEIGHT = 14;
/**
 * Offsets from the middle of a row. The name of the contestant is in the upper half, and its bar in
 * the lower half.
 */
const BAR_OFFSET = 8;
const NAME_OFFSET = -9;

/**
 * Returns the medians as bars, one panel for each metric. A line goes from the lowest figure to the
 * highest.
 *
 * Names are inside the panels, because the width of a text cannot be measured without a browser.
 *
 * **Guarantees**: the same SVG for the same figures, on every machine.
 */
export async function chartOf(scenario: Scenario, { metrics }: Evaluation): Promise<string> {
  const specification: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    // The background is not transparent, because dark pages show the chart, too.
    background: 'white',
    padding: 16,
    title: {
      text: scenario.title.replaceAll('`', ''),
      anchor: 'start',
      frame: 'group',
      fontSize: 15,
      offset: 14,
      color: INK,
    },
    spacing: 28,
    vconcat: metrics.map(panelOf),
    config: {
      font: 'system-ui, sans-serif',
      text: { fontSize: 12, color: INK, align: 'left' },
      axis: { labelColor: INK, labelFontSize: 11, gridColor: '#e3e8ec', domain: false, ticks: false, tickCount: 5 },
      view: { stroke: null },
    },
  };
  resetSVGDefIds();
  const view = new View(parse(compile(specification).spec), { renderer: 'none' });
  try {
    return `${await view.toSVG()}\n`;
  } finally {
    view.finalize();
  }
}

function panelOf({ metric, standings }: MetricResult) {
  return {
    title: {
      text: `${metric.title}, ${metric.unit} (${metric.better} is better)`,
      anchor: 'start' as const,
      fontSize: 12,
      color: INK,
    },
    width: 600,
    height: { step: ROW_HEIGHT },
    data: {
      values: standings.map(({ contestant, median, lowest, highest }) => ({
        contestant,
        median,
        lowest,
        highest,
        figure: formatFigure(median),
        isOurs: isOurs(contestant),
      })),
    },
    encoding: { y: { field: 'contestant', type: 'nominal' as const, sort: null, axis: null } },
    layer: [
      {
        mark: { type: 'bar' as const, height: BAR_HEIGHT, yOffset: BAR_OFFSET },
        encoding: {
          x: along('median'),
          color: { condition: { test: 'datum.isOurs', value: OURS }, value: OTHERS },
        },
      },
      {
        mark: { type: 'rule' as const, color: SPREAD, strokeWidth: 2, yOffset: BAR_OFFSET, y2Offset: BAR_OFFSET },
        encoding: { x: along('lowest'), x2: { field: 'highest' } },
      },
      {
        mark: { type: 'text' as const, dx: 6, dy: BAR_OFFSET },
        encoding: { x: along('highest'), text: { field: 'figure', type: 'nominal' as const } },
      },
      {
        mark: { type: 'text' as const, dy: NAME_OFFSET },
        encoding: { x: { value: 0 }, text: { field: 'contestant', type: 'nominal' as const } },
      },
    ],
  };
}

function along(field: string) {
  return { field, type: 'quantitative' as const, title: null };
}
