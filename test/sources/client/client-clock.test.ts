import { NEVER } from 'rxjs';
import {
  fetchClient,
  limitedClient,
  listWatch,
  mergeSources,
  pods,
  type KubeClient,
  type WatchEvent,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { logWarnings } from '../../../src/controller/api/server-warnings.js';
import { factsOf } from '../../../src/sources/model/source.js';
import { kubeConfigOf } from './kube-config.js';

const ignore = (): void => undefined;
const scheduler = virtualClock();
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const random = (): number => 0.5;

describe('the clock of a client', () => {
  it('is the default of listWatch: an in-memory API server with a virtual clock needs no second scheduler', () => {
    const clock = virtualClock();
    const { client } = createInMemoryApiServer({ scheduler: clock });
    const mute: KubeClient = { ...client, exchange: () => NEVER };
    const states: string[] = [];
    const subscription = listWatch(mute, pods).subscribe((batch: readonly WatchEvent<unknown>[]) => {
      for (const event of batch) if (event.type === 'STATUS') states.push(`${clock.now()} ${event.status.state}`);
    });
    clock.advance(61_000);
    subscription.unsubscribe();
    expect(states).toEqual(['0 listing', '60000 listing']);
  });

  it.each<[string, (client: KubeClient) => KubeClient]>([
    ['limitedClient', (client) => limitedClient(client, { qps: 5 })],
    ['logWarnings', (client) => logWarnings(client, silent)],
  ])('the clock of a client is passed on by %s', (_, wrap) => {
    expect(wrap({ exchange: () => NEVER, scheduler, random })).toMatchObject({ scheduler, random });
  });

  it('is the scheduler that a client was made with', () => {
    const config = kubeConfigOf({ server: 'http://127.0.0.1:1' });
    const unclocked = { exchange: () => NEVER };
    for (const client of [
      fetchClient({ scheduler }),
      kubeClient(config, { scheduler }),
      limitedClient(unclocked, { scheduler }),
      createInMemoryApiServer({ scheduler }).client,
      createInMemoryApiServer({ scheduler }).clientFor('token'),
    ]) {
      expect(client.scheduler).toBe(scheduler);
    }
  });

  it('is carried by sources, also by merged and overlaid ones, unless an option names another clock', () => {
    const client: KubeClient = { exchange: () => NEVER, scheduler, random };
    const source = listWatch(client, pods);
    const other = virtualClock();
    expect(factsOf(source)).toMatchObject({ scheduler, random });
    expect(factsOf(listWatch(client, pods, { scheduler: other }))).toMatchObject({ scheduler: other, random });
    expect(factsOf(mergeSources({ a: source, b: listWatch(client, pods) }))).toMatchObject({ scheduler, random });
    expect(factsOf(overlay(source))).toMatchObject({ scheduler, random });
  });
});
