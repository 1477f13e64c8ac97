import { aPod } from 'rx-informers/testing';
import { finalize, interval } from 'rxjs';
import { useStage } from './support/dashboard.js';
import { watchFrames, type Smoothness } from './support/frames.js';
import { mainThreadLoad, type MainThreadLoad } from './support/main-thread.js';
import { manyPods } from './support/many-pods.js';
import { filterField, podCount, podRow } from './support/places.js';

const aim = { updatesPerSecond: 2000, framesPerSecond: 55, longestTask: 50 };

describe('the dashboard in Chromium, under load', () => {
  const { start, open } = useStage();

  // Figures are printed and not asserted, because machines differ. That the page keeps up is.
  it.each([
    { pods: 5_000, nodes: 50 },
    { pods: 20_000, nodes: 200 },
  ])('draws $pods pods on the map at 2,000 updates a second, and shows the last update', async ({ pods, nodes }) => {
    const { api, url } = await start({ maxBacklog: 20_000 });
    const all = manyPods(api, { pods, nodes });
    const { page, errors } = await open(url);
    await podCount(page, pods).waitFor();

    let updates = 0;
    let isOver = false;
    const startedAt = performance.now();
    const tick = 20;
    const changing = interval(tick)
      .pipe(finalize(() => (isOver = true)))
      .subscribe(() => {
        // As many as are due by now: a late tick catches up.
        const due = Math.floor(((performance.now() - startedAt) * aim.updatesPerSecond) / 1000) - updates;
        api.apply(
          Array.from({ length: due }, () => {
            const pod = all[updates % all.length]!;
            updates += 1;
            const { name, namespace, labels } = pod.metadata;
            const isPending = Math.floor(updates / all.length) % 2 === 0;
            return aPod({
              name,
              namespace,
              labels,
              node: pod.spec!.nodeName,
              phase: isPending ? 'Pending' : 'Running',
            });
          }),
        );
      });
    let smoothness: Smoothness | undefined;
    const load = await mainThreadLoad(page, async () => {
      smoothness = await watchFrames(page, 300);
    });
    changing.unsubscribe();
    const rate = (updates / (performance.now() - startedAt)) * 1000;
    process.stdout.write(`${pods} pods on the map, ${report(smoothness!, load, rate)}\n`);

    expect(isOver).toBe(true);
    api.apply(aPod({ name: 'last', labels: { last: 'of-all' } }));
    await podCount(page, pods + 1).waitFor();
    await filterField(page).fill('last');
    await podRow(page, 'last').waitFor();
    expect(errors).toEqual([]);
  });
});

function report(smoothness: Smoothness, load: MainThreadLoad, rate: number): string {
  const { medianFramesPerSecond, slowestFrame, longTasks } = smoothness;
  const longest = Math.max(0, ...longTasks);
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  return [
    `${Math.round(rate)} updates/s:`,
    `  frames: median ${medianFramesPerSecond.toFixed(1)}/s (aim: ${aim.framesPerSecond}), slowest ${slowestFrame.toFixed(0)} ms`,
    `  tasks over 50 ms: ${longTasks.length}, longest ${longest.toFixed(0)} ms (aim: none over ${aim.longestTask})`,
    `  main thread: busy ${percent(load.busy)} (script ${percent(load.script)}, style ${percent(load.style)}, layout ${percent(load.layout)})`,
    `  limited by ${limitOf(smoothness, load, rate)}`,
  ].join('\n');
}

function limitOf({ medianFramesPerSecond }: Smoothness, { busy }: MainThreadLoad, rate: number): string {
  if (rate < aim.updatesPerSecond * 0.9) return 'the API server, which shares the processors with the browser';
  if (medianFramesPerSecond >= 58) return 'the display: every frame of it is drawn';
  if (busy > 0.9) return 'the main thread of the page';
  return 'the processors, which browser, proxy and API server share: the main thread has time left';
}
