import { configMaps, fromEvents, informer, listWatch, mergeSources, type ConfigMap } from 'rx-informers';
import type { SourceSet } from 'rx-informers/client';
import { overlay } from 'rx-informers/controller';
import { watchEvent } from 'rx-informers/store';
import {
  aConfigMap,
  createInMemoryApiServer,
  describeSourceConformance,
  type SourceUnderTest,
} from 'rx-informers/testing';
import { BehaviorSubject, NEVER, VirtualTimeScheduler, concat, merge, Observable } from 'rxjs';
import { podOf, type Pod } from '../fixtures/pods.js';
import { overlaidScript, readEvent } from './support/overlay-script.js';

/** Earlier lines are ignored; the list is at version 9 and holds a@3 and b@8. */
function after(...lines: readonly string[]) {
  const script = overlaidScript();
  script.play('LISTED 9(a@3 b@8)', ...lines);
  return script;
}

describe('overlay: show', () => {
  it.each([
    [
      'H4: shows an update at once, and reports the version of the watch',
      [],
      'show a@12',
      ['MODIFIED(a@12), BOOKMARK 9'],
    ],
    ['H4: shows a new object at once', [], 'show z@12', ['MODIFIED(z@12), BOOKMARK 9']],
    [
      'H4: OnAddOrUpdate: holds an older version back, and reports the version of the watch',
      ['show a@12'],
      'MODIFIED(a@11)',
      ['BOOKMARK 11'],
    ],
    ['H4: OnAddOrUpdate: emits the same version', ['show a@12'], 'MODIFIED(a@12)', ['MODIFIED(a@12)']],
    ['H4: OnAddOrUpdate: emits a newer version', ['show a@12'], 'MODIFIED(a@13)', ['MODIFIED(a@13)']],
    [
      'H4: OnAddOrUpdate: ends with the same version',
      ['show a@12', 'MODIFIED(a@12)'],
      'MODIFIED(a@11)',
      ['MODIFIED(a@11)'],
    ],
    ['H4: OnDelete: emits the deletion', ['show a@12'], 'DELETED(a@13)', ['DELETED(a@13)']],
    [
      'holds back a deletion from before the write, because the object matches again',
      ['show a@12'],
      'DELETED(a@11)',
      ['BOOKMARK 11'],
    ],
    ['holds back an earlier incarnation', ["show a'@12"], 'MODIFIED(a@10)', ['BOOKMARK 10']],
    ['holds back the deletion of an earlier incarnation', ["show a'@12"], 'DELETED(a@11)', ['BOOKMARK 11']],
    ['emits a later incarnation', ['show a@12'], "ADDED(a'@14)", ["ADDED(a'@14)"]],
    [
      'deletes the object with a later incarnation that was added and deleted',
      ['show a@12'],
      "DELETED(a'@15)",
      ["DELETED(a@12), DELETED(a'@15), BOOKMARK 15"],
    ],
    ['H4: OnAddOrUpdate: is ignored if the watch is already past it', ['MODIFIED(b@13)'], 'show a@12', []],
    [
      'H4: UpdateConcurrentDelete: is ignored after the watch has delivered a deletion',
      ['DELETED(a@13)'],
      'show a@12',
      [],
    ],
    [
      'H4: UpdateConcurrentRecreate: is ignored for an object that was created again',
      ['DELETED(a@13)', "ADDED(a'@14)"],
      'show a@12',
      [],
    ],
    [
      'shows a write that makes the object match the selector again',
      ['DELETED(a@10)'],
      'show a@12',
      ['MODIFIED(a@12), BOOKMARK 10'],
    ],
    [
      'shows a write to an object that has left the selection and returned',
      ['DELETED(a@10), ADDED(a@11)'],
      'show a@12',
      ['MODIFIED(a@12), BOOKMARK 11'],
    ],
    ['replaces the shown object by a newer response', ['show a@12'], 'show a@14', ['MODIFIED(a@14), BOOKMARK 9']],
    ['holds back everything up to the newest response', ['show a@12', 'show a@14'], 'MODIFIED(a@12)', ['BOOKMARK 12']],
    ['ignores an older response that arrives later', ['show a@14'], 'show a@12', []],
    ['ignores the same response again', ['show a@14'], 'show a@14', []],
    ['replaces the shown object by a later incarnation', ['show a@12'], "show a'@14", ["MODIFIED(a'@14), BOOKMARK 9"]],
    [
      'removes the object if the watch passes its version without an event: it is not selected',
      ['show z@12'],
      'MODIFIED(b@13)',
      ['MODIFIED(b@13), DELETED(z@12), BOOKMARK 13'],
    ],
    [
      'removes the object at a bookmark past its version',
      ['show z@12'],
      'BOOKMARK 12',
      ['BOOKMARK 12, DELETED(z@12), BOOKMARK 12'],
    ],
    [
      'does not remove the object before the end of the batch',
      ['show a@12'],
      'MODIFIED(b@13), MODIFIED(a@12)',
      ['MODIFIED(b@13), MODIFIED(a@12)'],
    ],
    [
      'shows the held-back object if the watch passes the version without an event',
      ['show a@12', 'MODIFIED(a@11)'],
      'BOOKMARK 13',
      ['BOOKMARK 13, MODIFIED(a@11), BOOKMARK 13'],
    ],
    [
      'removes the object if the held-back event was its deletion',
      ['show a@12', 'DELETED(a@11)'],
      'BOOKMARK 13',
      ['BOOKMARK 13, DELETED(a@12), BOOKMARK 13'],
    ],
    [
      'reports several held-back events by one version',
      ['show a@14'],
      'MODIFIED(a@11), MODIFIED(b@12), MODIFIED(a@13)',
      ['MODIFIED(b@12), BOOKMARK 13'],
    ],
  ])('%s', (_sentence, before, line, expected) => {
    expect(after(...before).play(line)).toEqual(expected);
  });
});

describe('overlay: showDeleted', () => {
  it.each([
    ['H4: OnDelete: hides the object at once', [], 'gone a@3', ['DELETED(a@3), BOOKMARK 9']],
    ['hides a shown object', ['show a@12'], 'gone a@12', ['DELETED(a@12), BOOKMARK 9']],
    [
      'holds back every event of the incarnation, regardless of its version',
      ['gone a@3'],
      'MODIFIED(a@20)',
      ['BOOKMARK 20'],
    ],
    ['ends with the deletion', ['gone a@3'], 'DELETED(a@20)', ['DELETED(a@20)']],
    ['H4: UpdateConcurrentRecreate: emits another incarnation', ['gone a@3'], "ADDED(a'@20)", ["ADDED(a'@20)"]],
    ['holds back an earlier incarnation', ["gone a'@12"], 'MODIFIED(a@10)', ['BOOKMARK 10']],
    [
      'emits the deletion of an earlier incarnation, and continues',
      ["gone a'@12", 'DELETED(a@11)'],
      "MODIFIED(a'@12)",
      ['BOOKMARK 12'],
    ],
    [
      'emits the deletion of a later incarnation, and ends',
      ['gone a@3', "DELETED(a'@20)"],
      'MODIFIED(a@3)',
      ['MODIFIED(a@3)'],
    ],
    ['H4: OnDelete: ignores a late response of the same incarnation', ['gone a@3'], 'show a@12', []],
    [
      'H4: OnDelete: shows a response of another, newer incarnation',
      ['gone a@3'],
      "show a'@12",
      ["MODIFIED(a'@12), BOOKMARK 9"],
    ],
    ['H4: OnDelete: does not show a response of another, older incarnation', ["gone a'@12"], 'show a@11', []],
    [
      'H4: OnDeleteClearsStaleMutation: ends what was shown',
      ['show a@12', 'gone a@3', 'DELETED(a@13)'],
      'MODIFIED(b@14)',
      ['MODIFIED(b@14)'],
    ],
    ['is ignored if the watch has delivered the deletion', ['DELETED(a@13)'], 'gone a@3', []],
    [
      'hides an object that has left the selection and returned',
      ['DELETED(a@10), ADDED(a@11)'],
      'gone a@11',
      ['DELETED(a@11), BOOKMARK 11'],
    ],
    [
      'hides an object that a list contains again',
      ['DELETED(a@10)', 'LISTED 12(a@11)'],
      'gone a@11',
      ['DELETED(a@11), BOOKMARK 12'],
    ],
    [
      'of a later incarnation removes the shown one',
      ['show a@12'],
      "gone a'@14",
      ["DELETED(a@12), DELETED(a'@14), BOOKMARK 9"],
    ],
    ['of an earlier incarnation does not affect the shown one', ["show a'@12"], 'gone a@3', []],
    [
      'does not end when the watch passes the version, because the time of the deletion is unknown',
      ['gone a@3', 'BOOKMARK 20'],
      'MODIFIED(a@5)',
      ['BOOKMARK 20'],
    ],
  ])('%s', (_sentence, before, line, expected) => {
    expect(after(...before).play(line)).toEqual(expected);
  });
});

describe('overlay: a list', () => {
  it.each([
    [
      'contains an object that was shown before the first one',
      ['show a@12'],
      'LISTED 9(a@3 b@8)',
      ['LISTED 9(b@8 a@12)'],
    ],
    [
      'contains an object that was created before the first one',
      ['show z@12'],
      'LISTED 9(a@3)',
      ['LISTED 9(a@3 z@12)'],
    ],
    ['ends a write with the same version', ['show a@9'], 'LISTED 9(a@9)', ['LISTED 9(a@9)']],
    ['ends a write with an older version: deleted since', ['show a@8'], 'LISTED 9(b@3)', ['LISTED 9(b@3)']],
    [
      'with an older version is still corrected by a later one',
      ['LISTED 5(a@3)', 'show a@12'],
      'LISTED 7(a@3)',
      ['LISTED 7(a@12)'],
    ],
    ['with a newer version is not corrected', ['LISTED 5(a@3)', 'show a@12'], 'LISTED 13(a@12)', ['LISTED 13(a@12)']],
    ['with an older version has an earlier incarnation replaced', ["show a'@12"], 'LISTED 9(a@3)', ["LISTED 9(a'@12)"]],
    ['does not contain a deleted object', ['gone a@3'], 'LISTED 9(a@3 b@8)', ['LISTED 9(b@8)']],
    ['without the object confirms the deletion', ['gone a@3', 'LISTED 9(b@8)'], 'ADDED(a@3)', ['ADDED(a@3)']],
    [
      'without the object and with the same version confirms the deletion',
      ['gone a@9', 'LISTED 9(b@8)'],
      'ADDED(a@3)',
      ['ADDED(a@3)'],
    ],
    [
      'that is older and without the object does not restore it',
      ['gone z@12', 'LISTED 9(a@3)'],
      'ADDED(z@11)',
      ['BOOKMARK 11'],
    ],
    [
      'that is older and without the object does not restore it, nor in a later version',
      ['LISTED 5()', 'show z@12', 'gone z@12', 'LISTED 9(a@3)', 'ADDED(z@11)'],
      'MODIFIED(z@12)',
      ['BOOKMARK 12'],
    ],
    [
      'that is older and without the object allows a later incarnation',
      ['gone z@12', 'LISTED 9(a@3)'],
      "ADDED(z'@14)",
      ["ADDED(z'@14)"],
    ],
    [
      'that is older and without the object allows its deletion to end it',
      ['gone z@12', 'LISTED 9()', 'ADDED(z@11)', 'DELETED(z@13)'],
      'LISTED 9(z@3)',
      ['LISTED 9(z@3)'],
    ],
    ['contains another incarnation than the deleted one', ['gone a@3'], "LISTED 9(a'@8)", ["LISTED 9(a'@8)"]],
    ['does not contain an earlier incarnation than the deleted one', ["gone a'@12"], 'LISTED 9(a@3)', ['LISTED 9()']],
    [
      'contains an unreadable object that was shown',
      ['show a@12'],
      'LISTED 9(b@8) without web/a web/c',
      ['LISTED 9(b@8 a@12) without web/c'],
    ],
    [
      'keeps an unreadable object as it is shown',
      ['show a@12', 'LISTED 9(b@8) without web/a'],
      'MODIFIED(a@11)',
      ['BOOKMARK 11'],
    ],
    [
      'without a version counts for an object that it does not contain',
      ['show z@12'],
      'LISTED (a@3)',
      ['LISTED (a@3)'],
    ],
    ['without a version is corrected by the versions of its items', ['show a@12'], 'LISTED (a@3)', ['LISTED (a@12)']],
    ['is unchanged if nothing was written', [], 'LISTED 9(a@3 b@8)', ['LISTED 9(a@3 b@8)']],
    [
      'that is older, and held-back events, revert to the list when the watch passes',
      ['show a@12', 'LISTED 9(a@3)'],
      'BOOKMARK 13',
      ['BOOKMARK 13, MODIFIED(a@3), BOOKMARK 13'],
    ],
    [
      'that is older removes it when the watch passes',
      ['show z@12', 'LISTED 9(a@3)'],
      'BOOKMARK 13',
      ['BOOKMARK 13, DELETED(z@12), BOOKMARK 13'],
    ],
  ])('%s', (_sentence, before, line, expected) => {
    const script = overlaidScript();
    script.play(...before);
    expect(script.play(line)).toEqual(expected);
  });
});

describe('overlay: versions that cannot be compared', () => {
  it.each([
    ['are shown at once', 'show a@y', ['MODIFIED(a@y), BOOKMARK x']],
    ['end with the next event, regardless of its version', 'show a@y; MODIFIED(a@z)', ['MODIFIED(a@z)']],
    ['end with the next incarnation', "show a@y; ADDED(a'@z)", ["ADDED(a'@z)"]],
    ['do not end with the deletion of another incarnation', "show a'@y; DELETED(a@x); show a'@y", []],
    ['hide the incarnation that was deleted', 'gone a@x; MODIFIED(a@z)', ['BOOKMARK z']],
    [
      'show a write to an object that was deleted and is reported again',
      'DELETED(a@y); ADDED(a@z); show a@w',
      ['MODIFIED(a@w), BOOKMARK z'],
    ],
    ['do not show an object again whose deletion the watch has delivered', 'DELETED(a@z); show a@y', []],
  ])('%s', (_sentence, lines, expected) => {
    const script = overlaidScript();
    script.play('LISTED x(a@x)');
    expect(
      lines
        .split('; ')
        .map((line) => script.play(line))
        .at(-1),
    ).toEqual(expected);
  });
});

describe('overlay: partitions', () => {
  it('shows an object in the partition with the name of its namespace', () => {
    const script = overlaidScript();
    script.play('web:LISTED 9(a@3), db:LISTED 5()');
    expect(script.play('show a@12')).toEqual(['web:MODIFIED(a@12), web:BOOKMARK 9']);
    expect(script.play('db:BOOKMARK 13')).toEqual(['db:BOOKMARK 13']);
    expect(script.play('web:MODIFIED(a@11)')).toEqual(['web:BOOKMARK 11']);
    expect(script.play('web:LISTED 11(a@11)')).toEqual(['web:LISTED 11(a@12)']);
  });

  it('shows an object in the partition that the caller names', () => {
    const script = overlaidScript();
    script.play('east:LISTED 9(a@3)', 'west:LISTED 9(a@3)');
    script.overlaid.show(podOf('a@12'), { partition: 'east' });
    expect(script.received.at(-1)).toBe('east:MODIFIED(a@12), east:BOOKMARK 9');
    expect(script.play('west:MODIFIED(a@11)', 'east:MODIFIED(a@11)')).toEqual([
      'west:MODIFIED(a@11)',
      'east:BOOKMARK 11',
    ]);
  });

  it('shows nothing without such a partition, until it lists', () => {
    const script = overlaidScript();
    script.play('east:LISTED 9(a@3)');
    expect(script.play('show a@12')).toEqual([]);
    script.overlaid.show(podOf('a@12'), { partition: 'north' });
    expect(script.play('north:LISTED 9(a@3)')).toEqual(['north:LISTED 9(a@12)']);
  });

  it('shows nothing in a partition that has left the source, until it lists again', () => {
    const script = overlaidScript();
    script.play('web:LISTED 9(a@3), db:LISTED 5()', 'web:LISTED ()');
    expect(script.play('show a@12')).toEqual([]);
    expect(script.play('web:LISTED 9(a@3)')).toEqual(['web:LISTED 9(a@12)']);
  });

  it('shows an object in its partition even if the set of sources was empty at first', () => {
    const sets = new BehaviorSubject<SourceSet<Pod>>({});
    const overlaid = overlay(mergeSources(sets), { scheduler: new VirtualTimeScheduler() });
    const shownPods = informer(overlaid);
    const errors: string[] = [];
    shownPods.errors$.subscribe(({ name }) => errors.push(name));
    shownPods.connect();
    sets.next({ web: concat(fromEvents([readEvent('LISTED 9(a@3 b@3)')]), NEVER) });
    overlaid.show(podOf('a@12'));
    overlaid.attempt('web/b', (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { tried: 'yes' } } }));
    expect(errors).toEqual([]);
    expect([shownPods.get('web/a')?.metadata.resourceVersion, shownPods.get('web/b')?.metadata.labels]).toEqual([
      '12',
      { tried: 'yes' },
    ]);
    shownPods.stop();
  });
});

const { listed } = watchEvent;

const config = (name: string, text = ''): ConfigMap => aConfigMap({ name, data: { text } });

/** Every write is shown, before or after the watch delivers it. */
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
  it('is an Observable that supports operators', () => {
    const overlaid = overlay(fromEvents([listed([config('a')])]));
    const received: unknown[] = [];
    merge(overlaid).subscribe((batch) => received.push(...batch));
    expect(overlaid).toBeInstanceOf(Observable);
    expect(received).toEqual([listed([config('a')])]);
  });
});
