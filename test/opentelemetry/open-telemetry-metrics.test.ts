import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import { StatusError } from 'rx-informers';
import { openTelemetryMetrics } from 'rx-informers/opentelemetry';
import { BehaviorSubject, NEVER, of } from 'rxjs';
import { connectionError } from '../../src/sources/model/errors.js';
import { describeMetricsConformance } from '../controller/metrics/support/metrics-conformance.js';
import { aMeter, facts } from './support/measured.js';

const request = { method: 'GET', url: '/api/v1/pods' };

/** Records every kind of fact, so that every instrument has a data point. */
async function everything(): Promise<readonly MetricData[]> {
  const { meter, collect } = aMeter();
  const metrics = openTelemetryMetrics({ meter });
  const expired = new StatusError(request, { kind: 'Status', code: 410 });
  const queue = metrics.queue('web');
  queue.opened({ depth: 1, delayed: 0, held: 0, unfinishedWork: 0, longestRunning: 0 });
  queue.taken(1, 0);
  queue.finished(1);
  const reconcile = metrics.reconcile('web');
  reconcile.started();
  reconcile.finished('success', 1);
  reconcile.observed(1);
  metrics.leaderElection('lock').leading(true);
  metrics.membership('group').members(1);
  const reflector = metrics.listWatch('pods');
  reflector.listStarted(expired);
  reflector.listFinished(1, 1);
  reflector.watchOpened();
  reflector.watchEnded(1, 1);
  reflector.resourceVersion('1');
  metrics.observe('pods', {
    snapshot: { size: 1 },
    hasSynced: true,
    status: { state: 'stopped' },
    lastMessageAt: 0,
    errors$: NEVER,
    announcementTimes$: of(1),
    announcementDelays$: of(1),
  });
  metrics.observe('nodes', {
    snapshot: { size: 1 },
    hasSynced: true,
    status: { state: 'stopped' },
    lastMessageAt: 0,
    errors$: new BehaviorSubject<Error>(expired),
  });
  return collect();
}

describe('openTelemetryMetrics', () => {
  it('has an instrument for every fact, each with a unit and a description', async () => {
    const metrics = await everything();
    expect(metrics.map(({ descriptor }) => descriptor.name).sort()).toEqual(Object.keys(facts).sort());
    for (const { descriptor } of metrics) {
      expect(descriptor.unit).toMatch(/^(s|1|\{[a-z]+\})$/);
      expect(descriptor.description).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('measures durations in seconds, and suggests the same bucket boundaries as the Prometheus adapter', async () => {
    const metrics = await everything();
    const durations = metrics.filter(({ descriptor }) => descriptor.name.endsWith('.duration'));
    expect(durations).toHaveLength(7);
    for (const { descriptor, dataPointType } of durations) {
      expect([descriptor.unit, dataPointType]).toEqual(['s', DataPointType.HISTOGRAM]);
    }
    const boundaries = durations.map((metric) =>
      metric.dataPointType === DataPointType.HISTOGRAM ? metric.dataPoints[0]?.value.buckets.boundaries.at(-1) : NaN,
    );
    expect(boundaries).toEqual([1_000, 1_000, 60, 120, 120, 1_200, 2.5]);
  });

  it('names an error as the semantic conventions do, and leaves out a missing status', async () => {
    const { meter, collect } = aMeter();
    const reflector = openTelemetryMetrics({ meter }).listWatch('pods');
    reflector.listStarted(new StatusError(request, { kind: 'Status', code: 410 }));
    reflector.listStarted(connectionError(request, new Error('refused'), 'ECONNREFUSED'));
    const relists = (await collect()).find(({ descriptor }) => descriptor.name === 'reflector.relists');
    expect(relists?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      { 'reflector.name': 'pods', 'error.type': 'RXI_STATUS', 'http.response.status_code': 410 },
      { 'reflector.name': 'pods', 'error.type': 'RXI_CONNECTION' },
    ]);
  });

  it('works twice with one meter, and adds both up', async () => {
    const { meter, figures } = aMeter();
    for (const metrics of [openTelemetryMetrics({ meter }), openTelemetryMetrics({ meter })]) {
      metrics.queue('web').added(0);
    }
    expect(await figures()).toMatchObject({ queueAdds: { web: 2 } });
  });
});

describeMetricsConformance('openTelemetryMetrics', (scheduler) => {
  const { meter, figures } = aMeter();
  return { metrics: openTelemetryMetrics({ meter, scheduler }), collect: figures };
});
