import { configMaps, type ConfigMap } from 'rx-informers';
import { hubWindow$, type HubView, type HubWindowOptions } from 'rx-informers/hub';
import { aConfigMap } from 'rx-informers/testing';
import { of, Subject } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { aRequest, mayRead, rawViewer, receivedBy, scene, type Scene } from './support/scene.js';

const config = (namespace: string, name: string, text = ''): ConfigMap =>
  aConfigMap({ namespace, name, data: { text } });
const name = (index: number): string => `c${String(index).padStart(3, '0')}`;
const byText = [{ path: ['data', 'text'], direction: 'descending' as const }];

function withObjects(made: Scene): Scene {
  made.server.apply(Array.from({ length: 300 }, (_, index) => config('shop', name(index), `t${index % 7}`)));
  made.server.apply(Array.from({ length: 50 }, (_, index) => config('bank', name(index), 'forbidden')));
  return made;
}

describe('a window of a hub', () => {
  it('has the rows, the order and the total of what the viewer may read, and only these rows are sent', () => {
    const made = withObjects(scene());
    const page = made.page();
    const views: HubView<ConfigMap>[] = [];
    const options$ = new Subject<HubWindowOptions>();
    const subscription = hubWindow$(page.connection, configMaps, { namespaces: ['shop'] }, options$).subscribe((view) =>
      views.push(view),
    );
    options$.next({ sortBy: byText, limit: 5 });
    made.clock.advance(1_000);
    expect(views.at(-1)).toMatchObject({ total: 300, offset: 0 });
    expect(views.at(-1)?.keys).toEqual([6, 13, 20, 27, 34].map((index) => `shop/${name(index)}`));
    expect(views.at(-1)?.rows.map(({ data }) => data?.['text'])).toEqual(['t6', 't6', 't6', 't6', 't6']);
    expect(receivedBy(page).match(/"name":"c/g)).toHaveLength(5);
    options$.next({ sortBy: byText, offset: 3, limit: 5 });
    expect(views.at(-1)?.keys).toEqual([27, 34, 41, 48, 55].map((index) => `shop/${name(index)}`));
    expect(receivedBy(page).match(/"name":"c/g)).toHaveLength(8);
    options$.next({ where: { path: ['metadata', 'name'], includes: 'C29' }, limit: 2 });
    expect(views.at(-1)).toMatchObject({ total: 10, keys: ['shop/c290', 'shop/c291'] });
    const count = views.length;
    made.server.apply(config('bank', 'c290', 'forbidden'));
    made.server.apply(config('shop', 'c001', 'outside'));
    made.clock.advance(1_000);
    expect(views).toHaveLength(count);
    made.server.remove(configMaps, 'c290', 'shop');
    expect(views.at(-1)).toMatchObject({ total: 9, keys: ['shop/c291', 'shop/c292'] });
    expect(receivedBy(page)).not.toMatch(/forbidden|bank/);
    subscription.unsubscribe();
    made.clock.advance(70_000);
    expect([made.hub.viewers, made.hub.informers, made.clock.timers]).toEqual([0, 0, 0]);
  });

  it('is empty, with the reason, when the rights are withdrawn, and continues after a lost connection', () => {
    const made = withObjects(scene());
    const page = made.page();
    const views: HubView<ConfigMap>[] = [];
    hubWindow$(page.connection, configMaps, { namespaces: ['shop'] }, { limit: 2 }).subscribe((view) =>
      views.push(view),
    );
    made.clock.advance(1_000);
    page.socket.cut();
    expect(views.at(-1)).toMatchObject({ total: 300, error: { problem: 'lost' } });
    made.clock.advance(5_000);
    expect(views.at(-1)?.error).toBeUndefined();
    expect(views.at(-1)?.rows).toHaveLength(2);
    made.grant('ada', []);
    made.clock.advance(300_000);
    expect(views.at(-1)).toMatchObject({ rows: [], total: 0, error: { problem: 'forbidden' } });
  });

  it('shows a slow page only the latest view', () => {
    const made = withObjects(scene());
    const page = made.page();
    const totals: number[] = [];
    hubWindow$(page.connection, configMaps, { namespaces: ['shop'] }, { limit: 1 }).subscribe(({ total }) =>
      totals.push(total),
    );
    made.clock.advance(1_000);
    page.socket.hold();
    for (let index = 0; index < 100; index++) made.server.remove(configMaps, name(index), 'shop');
    page.socket.release();
    expect(totals).toEqual([300, 299, 200]);
  });

  it('refuses options beyond the limits', () => {
    const { connection } = scene().page();
    const error = errorWith('RXI_INVALID_OPTION');
    expect(() => hubWindow$(connection, configMaps, {}, { limit: 2_000 })).toThrow(error);
    const failures: unknown[] = [];
    hubWindow$(connection, configMaps, {}, of({ offset: -1 })).subscribe({
      error: (failure) => failures.push(failure),
    });
    expect(failures).toEqual([error]);
  });
});

describe('a request for several namespaces', () => {
  it('is refused unless the viewer has the rights in each of them', () => {
    const made = withObjects(scene());
    const viewer = rawViewer(made);
    viewer.send({ type: 'hello', protocol: 2 });
    viewer.send({ type: 'subscribe', id: 1, request: { ...aRequest, namespaces: ['shop', 'bank'] } });
    made.clock.advance(1_000);
    expect(viewer.received.map(({ type }) => type)).toEqual(['welcome', 'ended']);
    made.grant('ada', mayRead('shop', 'bank'));
    viewer.send({ type: 'subscribe', id: 2, request: { ...aRequest, namespaces: ['bank', 'shop'] } });
    made.clock.advance(1_000);
    expect(viewer.received.map(({ type }) => type).slice(2)).toEqual(['opened', 'part', 'part']);
  });
});
