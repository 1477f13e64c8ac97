import type { KubeRequest } from 'rx-informers';
import { added, modified, podList } from '../fixtures/wire.js';
import { list, open, paged, reset, run, streamed } from './support/run-list-watch.js';
import { refuse, respond, statusError, type Answer } from './support/scripted-client.js';

const minute = 60_000;
/** The bound of G5: ten requests at once, then one a second. */
const bound = 70;

const isList = ({ query = {} }: KubeRequest): boolean => query['watch'] !== true;

describe('listWatch, when a server misbehaves, asks it at most 70 times in a minute', () => {
  it('R13 ▲: if each watch ends after one new event', () => {
    let version = 10;
    const oneEvent = (): Answer => respond([[1, modified(`a@${(version += 1)}`)]], { end: 2 });
    const { client, seen } = run([list('10'), oneEvent], minute);
    expect(client.requests.length).toBeGreaterThan(50);
    expect(client.requests.length).toBeLessThanOrEqual(bound);
    expect(seen.some((text) => text.includes('backing-off'))).toBe(true);
    expect(seen.filter((text) => text.includes('ERROR'))).toHaveLength(1);
  });

  it('R14 ▲: if each watch replays known events and then breaks, and it waits longer each time', () => {
    const replay = respond([[1, modified('a@8') + modified('a@9') + modified('a@10')]], { cut: [5, reset] });
    const { client, seen } = run([list('10'), replay], minute);
    expect(client.requests.length).toBeLessThan(12);
    expect(seen.some((text) => text.includes('backing-off'))).toBe(true);
  });

  it('R14 ▲: if each watch goes back to an older version and then breaks', () => {
    const versions = [8, 9, 10];
    let turn = 0;
    const older = (): Answer => respond([[1, modified(`a@${versions[(turn += 1) % 3] ?? 0}`)]], { cut: [5, reset] });
    const { client } = run([list('10'), older], minute);
    expect(client.requests.length).toBeLessThan(12);
  });

  it('if a backoff function never waits', () => {
    const { client } = run([refuse(statusError(500))], minute, { ...paged, backoff: () => 0 });
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });

  it('if streaming lists break and lists expire, each at once', () => {
    const { client } = run([refuse(statusError(410))], minute, { ...streamed, backoff: () => 0 });
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });

  it.each<[string, (page: number) => string]>([
    ['nothing', (page) => podList('10', [], { continue: `page ${page}` })],
    ['known objects', (page) => podList('10', [`p${page % 2}`], { continue: `page ${page}` })],
    ['known objects and a known token', () => podList('10', ['a'], { continue: 'again' })],
    ['objects behind known ones', (page) => podList('10', [`p${1_000_000 - page}`], { continue: `page ${page}` })],
  ])('U5 ▲: if a list never ends and each page brings %s', (_what, pageOf) => {
    let page = 0;
    const { client } = run([() => respond([[1, pageOf((page += 1))]], { end: 2 })], minute);
    expect(client.requests.length).toBeLessThanOrEqual(bound);
  });
});

describe('listWatch, when a server behaves', () => {
  it('U5: follows a long list page by page without a wait', () => {
    const page = (number: number): Answer =>
      respond([[1, podList('10', [`p${1_000 + number}`], number === 200 ? {} : { continue: `page ${number}` })]], {
        end: 2,
      });
    let number = 0;
    const { client, data } = run([() => ((number += 1) > 200 ? open : page(number))], 1_000);
    expect(client.requests.filter(isList)).toHaveLength(200);
    expect(data).toHaveLength(1);
  });

  it('R13: resumes watches that end after a second at once, for as long as they do', () => {
    let version = 10;
    const seconds = (): Answer => respond([[1, added(`a@${(version += 1)}`)]], { end: 1_000 });
    const { client } = run([list('10'), seconds], minute);
    expect(client.requests.length).toBeGreaterThanOrEqual(60);
  });
});

describe('listWatch, when a continue token repeats', () => {
  it('U5 ▲: reports it and reads the list whole, without a limit', () => {
    const stuck = respond([[1, podList('10', ['a'], { continue: 'again' })]], { end: 2 });
    const { client, data } = run([stuck, stuck, list('10', ['a', 'b']), open], 10_000);
    expect(client.log).toEqual([
      'LIST limit=500 resourceVersion=0',
      'LIST limit=500 continue=again',
      'LIST resourceVersion=0',
      'WATCH resourceVersion=10',
    ]);
    expect(data).toEqual(['4: ERROR ResponseError', '6: LISTED 10(a@1 b@1)']);
  });
});
