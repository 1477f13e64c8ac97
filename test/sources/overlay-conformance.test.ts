import { NEVER, concat, merge, Observable } from 'rxjs';
import { configMaps, fromEvents, listWatch, mergeSources, type ConfigMap, watchEvent } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  type SourceUnderTest,
} from 'rx-informers/testing';

const { listed } = watchEvent;

const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text } });

/** Every write is shown, before the watch says it or after. */
function overServer(isMerged: boolean): SourceUnderTest<ConfigMap> {
  const server = createInMemoryApiServer();
  server.apply(['a', 'b', 'c'].map((name) => config(name)));
  const followed = listWatch(server.client, configMaps, { namespace: 'default' });
  const overlaid = overlay(
    isMerged
      ? mergeSources({ default: followed, other: concat(fromEvents([listed<ConfigMap>([])]), NEVER) })
      : followed,
  );
  return {
    source: overlaid,
    expected: () => server.objects.list(configMaps),
    change: (step) => {
      if (step === 2) {
        const [b] = server.objects.list(configMaps).filter(({ metadata }) => metadata.name === 'b');
        if (b) overlaid.showDeleted(b);
        server.remove(configMaps, 'b', 'default');
        return;
      }
      for (const written of server.apply(config(`c${step % 2}`, `step ${step}`))) overlaid.show(written as ConfigMap);
    },
    stop: () => {
      server.stop();
    },
  };
}

describeSourceConformance(() => overServer(false), { name: 'overlay' });
describeSourceConformance(() => overServer(true), { name: 'overlay of merged sources' });

describe('overlay', () => {
  it('is an Observable that operators take', () => {
    const overlaid = overlay(fromEvents([listed([config('a')])]));
    const told: unknown[] = [];
    merge(overlaid).subscribe((batch) => told.push(...batch));
    expect(overlaid).toBeInstanceOf(Observable);
    expect(told).toEqual([listed([config('a')])]);
  });
});
