import { configMaps, informer, mergeSources, StatusError } from 'rx-informers';
import { partitionedKey } from 'rx-informers/store';
import { aConfigMap } from 'rx-informers/testing';
import { scene } from './support/scene.js';

describe('informers over the shared workers of several clusters', () => {
  it('contain the objects of all readable clusters, with the errors and the state of each', () => {
    const east = scene();
    const west = scene({ user: { name: 'reader', allow: [] } });
    for (const { server } of [east, west]) server.apply(aConfigMap({ name: 'same' }));
    const source = mergeSources(
      {
        east: east.page().shared.listWatch(east.server.client, configMaps),
        west: west.page().shared.listWatch(west.server.client, configMaps),
      },
      { startWithout: ['forbidden', 'not-found', 'backing-off'] },
    );
    const both = informer(source, { keyOf: partitionedKey() });
    const errors: unknown[] = [];
    both.errors$.subscribe((error) => errors.push(error));
    both.connect();
    expect(both.keys()).toEqual(['east:default/same']);
    expect(errors).toEqual([expect.any(StatusError)]);
    expect(both.status.members).toMatchObject({ east: { state: 'watching' }, west: { state: 'forbidden' } });

    west.server.grant('token', { name: 'reader', allow: 'everything' });
    west.clock.advance(10_000);
    expect(both.keys()).toEqual(['east:default/same', 'west:default/same']);
    both.stop();
    for (const { clock, worker } of [east, west]) {
      clock.advance(10_000);
      expect([worker.pages, worker.informers, clock.timers]).toEqual([0, 0, 0]);
    }
  });
});
