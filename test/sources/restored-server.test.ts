import { listWatch, pods } from 'rx-informers';
import type { KubeRequest } from 'rx-informers/client';
import { randomFromSeed } from 'rx-informers/testing';
import { merge } from 'rxjs';
import { serverRestoredError } from '../../src/sources/model/errors.js';
import { added, bookmark, endBookmark, modified, podList } from '../fixtures/wire.js';
import { list, open, paged, refused, reset, run, streamed } from './support/run-list-watch.js';
import { type Answer, isProbe, refuse, respond, scriptedClient, statusError } from './support/scripted-client.js';
import { timeline } from './support/timeline.js';

/** Answers requests for the version of the server, after these failures. */
function version(of: string, failures: readonly Answer[] = []): (request: KubeRequest) => Answer {
  let requested = 0;
  return () => failures[requested++] ?? respond([[1, podList(of, ['a'])]], { end: 2 });
}

const cut = respond([], { cut: [5_000, reset] });
const random = randomFromSeed(1);

const errorsIn = (seen: readonly string[]): readonly string[] =>
  seen.filter((text) => text.includes('RXI_SERVER_RESTORED'));

describe('R30 ▲: a source whose server was restored from a backup', () => {
  it.each([
    ['was reset', respond([], { cut: [5_000, reset] })],
    ['was refused', refuse(refused)],
  ])('finds it after its connection %s, and lists the most recent state', (_, broken) => {
    const answers = [list('321', ['a', 'b']), broken, open, list('17', ['a']), open];

    const { client, data, seen } = run(answers, 20_000, paged, version('17'));

    expect(client.log.slice(-4)).toEqual([
      'WATCH resourceVersion=321',
      'LIST limit=1',
      'LIST limit=500',
      'WATCH resourceVersion=17',
    ]);
    expect(data.at(-1)).toMatch(/LISTED 17\(a@1\)$/);
    expect(errorsIn(seen)).toHaveLength(1);
  });

  it('streams the list again, if lists are streamed', () => {
    const first = respond([[1, added('a@321') + endBookmark('321')]], { cut: [5_000, reset] });
    const again = respond([[1, added('a@17') + endBookmark('17')]]);

    const { client, data } = run([first, open, again], 20_000, streamed, version('17'));

    expect(client.log).toEqual(['STREAM', 'WATCH resourceVersion=321', 'LIST limit=1', 'STREAM']);
    expect(data.at(-1)).toMatch(/LISTED 17/);
  });

  it('does not list again if the server is at the same version or at a newer one', () => {
    for (const same of ['321', '400']) {
      const { client, seen } = run([list('321'), cut, open], 60_000, paged, version(same));

      expect(client.log.slice(2)).toEqual(['WATCH resourceVersion=321', 'LIST limit=1']);
      expect(errorsIn(seen)).toEqual([]);
    }
  });

  it('is not assumed because the watch shows newer versions while the answer with the version is on its way', () => {
    const busy = respond([[4_000, modified('a@400')]]);
    const late = respond([[9_000, podList('350', ['a'])]], { end: 9_001 });
    const { client, seen } = run([list('321'), cut, busy], 60_000, paged, () => late);

    expect(client.log.slice(1)).toEqual(['WATCH resourceVersion=321', 'WATCH resourceVersion=321', 'LIST limit=1']);
    expect(errorsIn(seen)).toEqual([]);
  });

  it('does not ask for the version after a watch that ended normally', () => {
    const { client } = run([list('321'), respond([], { end: 200_000 }), open], 400_000, paged, version('17'));

    expect(client.requests.some(isProbe)).toBe(false);
  });

  it('asks again later if the server is too busy to answer', () => {
    const busy = [refuse(statusError(429)), refuse(statusError(503))];
    const { client, seen } = run([list('321'), cut, open, list('17'), open], 60_000, paged, version('17', busy));

    expect(client.requests.filter(isProbe)).toHaveLength(3);
    expect(errorsIn(seen)).toHaveLength(1);
  });

  it('finds it by a list that goes back', () => {
    const gone = refuse(statusError(410));
    const { data, seen } = run([list('321'), gone, list('17'), list('17'), open], 20_000);

    expect(errorsIn(seen)).toHaveLength(1);
    expect(data.at(-1)).toMatch(/LISTED 17/);
  });

  it('finds it by a bookmark that goes back, and keeps the events before it', () => {
    const back = respond([[5_000, modified('a@322') + bookmark('17')]]);
    const { data, seen } = run([list('321'), back, list('17'), open], 20_000);

    expect(errorsIn(seen)).toHaveLength(1);
    expect(data.join()).toMatch(/MODIFIED\(a@322\).*LISTED 17/);
  });

  it('takes no single event as a sign, because servers replay events', () => {
    const { data, seen } = run([list('321'), respond([[5_000, modified('a@300')]])], 20_000);

    expect(errorsIn(seen)).toEqual([]);
    expect(data.filter((text) => text.includes('LISTED'))).toHaveLength(1);
  });
});

describe('the request for the version of the server', () => {
  it('is one for all sources of a client and an API group', () => {
    let streams = 0;
    const answer = ({ query }: KubeRequest): Answer => {
      if (query?.['sendInitialEvents'] !== true) return open;
      const text = (at: string): string => added(`a@${at}`) + endBookmark(at);
      return ++streams > 10 ? respond([[1, text('17')]]) : respond([[1, text('321')]], { cut: [5_000, reset] });
    };
    const client = scriptedClient([answer], version('17'));
    const sources = Array.from({ length: 10 }, () => listWatch(client, pods, { random }));

    const seen = timeline(() => merge(...sources), 20_000);

    expect(client.requests.filter(isProbe)).toHaveLength(1);
    expect(errorsIn(seen)).toHaveLength(10);
  });

  it('is compared with the version that each source knew before, because others use the answer later', () => {
    const text = (at: string): string => added(`a@${at}`) + endBookmark(at);
    let streams = 0;
    const answer = ({ query }: KubeRequest): Answer => {
      if (query?.['sendInitialEvents'] !== true) return respond([[500, modified('a@400')]]);
      return ++streams > 10 ? respond([[1, text('999')]]) : respond([[1, text('321')]], { cut: [5_000, reset] });
    };
    const client = scriptedClient([answer], version('321'));
    const sources = Array.from({ length: 10 }, () => listWatch(client, pods, { random }));

    const seen = timeline(() => merge(...sources), 20_000);

    expect(errorsIn(seen)).toEqual([]);
  });

  it('is sent without selectors, for metadata only', () => {
    const { client } = run([list('321'), cut, open], 20_000, { ...paged, labelSelector: 'app=web', namespace: 'web' });

    expect(client.requests.find(isProbe)).toMatchObject({
      path: '/api/v1/namespaces/web/pods',
      query: { limit: 1, labelSelector: undefined, resourceVersion: undefined },
      headers: { accept: expect.stringContaining('PartialObjectMetadataList') as string },
    });
  });

  it('names the known version and that of the server in the error', () => {
    const error = serverRestoredError({ method: 'GET', url: '/api/v1/pods' }, '321', '17');

    expect(error).toMatchObject({
      expected: true,
      code: 'RXI_SERVER_RESTORED',
      message: expect.stringContaining('from version 321 to 17') as string,
    });
  });
});
