import { NEVER, concat, merge, Observable } from 'rxjs';
import { configMaps, fromEvents, listWatch, mergeSources, type ConfigMap, watchEvent } from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  type SourceUnderTest,
} from 'rx-informers/testing';
import { podOf } from '../fixtures/pods.js';
import { overlaidScript } from './support/overlay-script.js';

/** What was played before counts for nothing; the list is at version 9 and holds a@3 and b@8. */
function after(...lines: readonly string[]) {
  const script = overlaidScript();
  script.play('L9 a@3 b@8', ...lines);
  return script;
}

describe('show', () => {
  it.each([
    ['H4: shows an update at once, and says how far the watch has come', [], 'show a@12', ['M a@12, B 9']],
    ['H4: shows a new object at once', [], 'show z@12', ['M z@12, B 9']],
    [
      'H4: OnAddOrUpdate: holds an older version back, and says how far the watch has come',
      ['show a@12'],
      'M a@11',
      ['B 11'],
    ],
    ['H4: OnAddOrUpdate: lets the same version through', ['show a@12'], 'M a@12', ['M a@12']],
    ['H4: OnAddOrUpdate: lets a newer version through', ['show a@12'], 'M a@13', ['M a@13']],
    ['H4: OnAddOrUpdate: is over with the same version', ['show a@12', 'M a@12'], 'M a@11', ['M a@11']],
    ['H4: OnDelete: lets the deletion through', ['show a@12'], 'D a@13', ['D a@13']],
    ['holds back a departure from before the write: it matches again', ['show a@12'], 'D a@11', ['B 11']],
    ['holds back an earlier incarnation', ["show a'@12"], 'M a@10', ['B 10']],
    ['holds back the deletion of an earlier incarnation', ["show a'@12"], 'D a@11', ['B 11']],
    ['lets a later incarnation through', ['show a@12'], "A a'@14", ["A a'@14"]],
    [
      'takes the object away with a later incarnation that came and went',
      ['show a@12'],
      "D a'@15",
      ["D a@12, D a'@15, B 15"],
    ],
    ['H4: OnAddOrUpdate: is ignored where the watch has passed it', ['M b@13'], 'show a@12', []],
    ['H4: UpdateConcurrentDelete: loses against a deletion that the watch has seen', ['D a@13'], 'show a@12', []],
    [
      'H4: UpdateConcurrentRecreate: loses against an object that was created again',
      ['D a@13', "A a'@14"],
      'show a@12',
      [],
    ],
    ['replaces what is shown by a newer answer', ['show a@12'], 'show a@14', ['M a@14, B 9']],
    ['holds back everything up to the newest answer', ['show a@12', 'show a@14'], 'M a@12', ['B 12']],
    ['ignores an older answer that comes later', ['show a@14'], 'show a@12', []],
    ['ignores the same answer again', ['show a@14'], 'show a@14', []],
    ['replaces what is shown by a later incarnation', ['show a@12'], "show a'@14", ["M a'@14, B 9"]],
    [
      'takes the object out where the watch passes it in silence: it is not followed',
      ['show z@12'],
      'M b@13',
      ['M b@13, D z@12, B 13'],
    ],
    ['takes the object out with a bookmark that passes it', ['show z@12'], 'B 12', ['B 12, D z@12, B 12']],
    ['does not before the end of the batch', ['show a@12'], 'M b@13, M a@12', ['M b@13, M a@12']],
    [
      'shows what was held back where the watch passes the version in silence',
      ['show a@12', 'M a@11'],
      'B 13',
      ['B 13, M a@11, B 13'],
    ],
    [
      'takes the object out where what was held back was its departure',
      ['show a@12', 'D a@11'],
      'B 13',
      ['B 13, D a@12, B 13'],
    ],
    ['tells of several held back events by one version', ['show a@14'], 'M a@11, M b@12, M a@13', ['M b@12, B 13']],
  ])('the overlay follows its rule: %s', (_sentence, before, line, expected) => {
    expect(after(...before).play(line)).toEqual(expected);
  });
});

describe('showDeleted', () => {
  it.each([
    ['H4: OnDelete: hides the object at once', [], 'gone a@3', ['D a@3, B 9']],
    ['hides what was shown', ['show a@12'], 'gone a@12', ['D a@12, B 9']],
    ['holds back every event of the incarnation, whatever its version', ['gone a@3'], 'M a@20', ['B 20']],
    ['is over with the deletion', ['gone a@3'], 'D a@20', ['D a@20']],
    ['H4: UpdateConcurrentRecreate: lets another incarnation through', ['gone a@3'], "A a'@20", ["A a'@20"]],
    ['holds back an earlier incarnation', ["gone a'@12"], 'M a@10', ['B 10']],
    ['lets the deletion of an earlier incarnation through, and stays', ["gone a'@12", 'D a@11'], "M a'@12", ['B 12']],
    ['lets the deletion of a later one through, and is over', ['gone a@3', "D a'@20"], 'M a@3', ['M a@3']],
    ['H4: OnDelete: a late answer of the same incarnation is ignored', ['gone a@3'], 'show a@12', []],
    ['H4: OnDelete: an answer of another, newer incarnation is shown', ['gone a@3'], "show a'@12", ["M a'@12, B 9"]],
    ['H4: OnDelete: an answer of another, older incarnation is not', ["gone a'@12"], 'show a@11', []],
    ['H4: OnDeleteClearsStaleMutation: ends what was shown', ['show a@12', 'gone a@3', 'D a@13'], 'M b@14', ['M b@14']],
    ['is ignored where the watch has seen it go', ['D a@13'], 'gone a@3', []],
    [
      'of a later incarnation takes the one that is shown with it',
      ['show a@12'],
      "gone a'@14",
      ["D a@12, D a'@14, B 9"],
    ],
    ['of an earlier incarnation leaves the one that is shown', ["show a'@12"], 'gone a@3', []],
    [
      'is not over when the watch passes the version: it does not know when it went',
      ['gone a@3', 'B 20'],
      'M a@5',
      ['B 20'],
    ],
  ])('the overlay follows its rule: %s', (_sentence, before, line, expected) => {
    expect(after(...before).play(line)).toEqual(expected);
  });
});

describe('a list', () => {
  it.each([
    ['has what was shown before the first one', ['show a@12'], 'L9 a@3 b@8', ['L9 b@8 a@12']],
    ['has what was created before the first one', ['show z@12'], 'L9 a@3', ['L9 a@3 z@12']],
    ['ends what it is as new as', ['show a@9'], 'L9 a@9', ['L9 a@9']],
    ['ends what it is newer than: deleted since', ['show a@8'], 'L9 b@3', ['L9 b@3']],
    ['that is older goes on being corrected by a later one', ['L5 a@3', 'show a@12'], 'L7 a@3', ['L7 a@12']],
    ['that is newer does not', ['L5 a@3', 'show a@12'], 'L13 a@12', ['L13 a@12']],
    ['that is older has an earlier incarnation replaced', ["show a'@12"], 'L9 a@3', ["L9 a'@12"]],
    ['does not have what was deleted', ['gone a@3'], 'L9 a@3 b@8', ['L9 b@8']],
    ['without it confirms the deletion', ['gone a@3', 'L9 b@8'], 'A a@3', ['A a@3']],
    ['without it that is as new confirms the deletion', ['gone a@9', 'L9 b@8'], 'A a@3', ['A a@3']],
    ['that is older and without it does not bring it back', ['gone z@12', 'L9 a@3'], 'A z@11', ['B 11']],
    [
      'that is older and without it does not bring it back, nor in a later version',
      ['L5', 'show z@12', 'gone z@12', 'L9 a@3', 'A z@11'],
      'M z@12',
      ['B 12'],
    ],
    ['that is older and without it lets a later incarnation through', ['gone z@12', 'L9 a@3'], "A z'@14", ["A z'@14"]],
    [
      'that is older and without it lets the deletion end it',
      ['gone z@12', 'L9', 'A z@11', 'D z@13'],
      'L9 z@3',
      ['L9 z@3'],
    ],
    ['has another incarnation than what was deleted', ['gone a@3'], "L9 a'@8", ["L9 a'@8"]],
    ['does not have an earlier incarnation than what was deleted', ["gone a'@12"], 'L9 a@3', ['L9']],
    ['has what is missing, where it was shown', ['show a@12'], 'L9! b@8 a c', ['L9! b@8 a@12 c']],
    ['that could not deliver it lets it stay as it is shown', ['show a@12', 'L9! b@8 a'], 'M a@11', ['B 11']],
    ['without a version counts for an object that it does not have', ['show z@12'], 'L a@3', ['L a@3']],
    ['without a version is corrected by the versions of its items', ['show a@12'], 'L a@3', ['L a@12']],
    ['is the same where nothing was written', [], 'L9 a@3 b@8', ['L9 a@3 b@8']],
    [
      'that is older, and what was held back, go back to it when the watch passes',
      ['show a@12', 'L9 a@3'],
      'B 13',
      ['B 13, M a@3, B 13'],
    ],
    ['that is older lets it go when the watch passes', ['show z@12', 'L9 a@3'], 'B 13', ['B 13, D z@12, B 13']],
  ])('the overlay follows its rule: %s', (_sentence, before, line, expected) => {
    const script = overlaidScript();
    script.play(...before);
    expect(script.play(line)).toEqual(expected);
  });
});

describe('versions that cannot be compared', () => {
  it.each([
    ['show at once', 'show a@y', ['M a@y, B x']],
    ['end with the next event, whatever its version', 'show a@y; M a@z', ['M a@z']],
    ['end with the next incarnation', "show a@y; A a'@z", ["A a'@z"]],
    ['do not end with the deletion of another incarnation', "show a'@y; D a@x; show a'@y", []],
    ['hide the incarnation that was deleted', 'gone a@x; M a@z', ['B z']],
    ['do not show again what the watch has seen go', 'D a@z; show a@y', []],
  ])('the overlay follows its rule: %s', (_sentence, lines, expected) => {
    const script = overlaidScript();
    script.play('Lx a@x');
    expect(
      lines
        .split('; ')
        .map((line) => script.play(line))
        .at(-1),
    ).toEqual(expected);
  });
});

describe('partitions', () => {
  it('shows an object in the partition that is named like its namespace', () => {
    const script = overlaidScript();
    script.play('web:L9 a@3, db:L5 ');
    expect(script.play('show a@12')).toEqual(['web:M a@12, web:B 9']);
    expect(script.play('db:B 13')).toEqual(['db:B 13']);
    expect(script.play('web:M a@11')).toEqual(['web:B 11']);
    expect(script.play('web:L11 a@11')).toEqual(['web:L11 a@12']);
  });

  it('shows an object in the partition that the caller names', () => {
    const script = overlaidScript();
    script.play('east:L9 a@3', 'west:L9 a@3');
    script.overlaid.show(podOf('a@12'), { partition: 'east' });
    expect(script.told.at(-1)).toBe('east:M a@12, east:B 9');
    expect(script.play('west:M a@11', 'east:M a@11')).toEqual(['west:M a@11', 'east:B 11']);
  });

  it('shows nothing where there is no such partition, until it lists', () => {
    const script = overlaidScript();
    script.play('east:L9 a@3');
    expect(script.play('show a@12')).toEqual([]);
    script.overlaid.show(podOf('a@12'), { partition: 'north' });
    expect(script.play('north:L9 a@3')).toEqual(['north:L9 a@12']);
  });
});

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
