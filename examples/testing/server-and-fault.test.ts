import { configMaps, informer, type Informer, type ConfigMap } from 'rx-informers';
import { aConfigMap, createInMemoryApiServer, serverFaults } from 'rx-informers/testing';
import { filter, firstValueFrom, map } from 'rxjs';

/** The stream under test: emits the names of the enabled settings. */
function enabled$(settings: Informer<ConfigMap>) {
  return settings
    .list$()
    .pipe(map((all) => all.filter(({ data }) => data?.['on'] === 'yes').map(({ metadata }) => metadata.name)));
}

const setting = (name: string, on: string): ConfigMap => aConfigMap({ name, data: { on } });

describe('enabled$', () => {
  const server = createInMemoryApiServer();
  afterAll(() => server.stop());

  it('is correct again after the server has lost its history', async () => {
    server.apply([setting('search', 'yes'), setting('chat', 'no')]);
    const settings = informer(server.client, configMaps, { backoff: () => 5 });
    const running = settings.connect();
    expect(await firstValueFrom(enabled$(settings))).toEqual(['search']);

    server.faults.next('watch', serverFaults.expire());
    server.restart({ compact: true });
    server.remove(configMaps, 'search', 'default');
    server.apply(setting('chat', 'yes'));

    expect(await firstValueFrom(enabled$(settings).pipe(filter((names) => names.includes('chat'))))).toEqual(['chat']);
    running.unsubscribe();
  });
});
