import { type WatchEvent, watchEvent } from 'rx-informers';
import { overlay, type OverlayOptions } from 'rx-informers/controller';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { podOf, spell, type Pod } from '../../fixtures/pods.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

/**
 * Returns the event that a short text stands for: `L3 a@1 b@2`, `A a@4`, `M a@5`, `D a@6`, `B 7`.
 * `L3! a` is a list from which a is missing. `east:A a@4` has a partition.
 */
export function readEvent(text: string): WatchEvent<Pod> {
  const [, partition, spelled = ''] = /^(?:(\w+):)?(.*)$/.exec(text) as RegExpExecArray;
  const [type = '', ...words] = spelled.split(' ').filter((word) => word !== '');
  const event = eventOf(type, words);
  return partition === undefined ? event : { ...event, partition };
}

function eventOf(type: string, words: readonly string[]): WatchEvent<Pod> {
  const [first = ''] = words;
  switch (type[0]) {
    case 'A':
      return added(podOf(first));
    case 'M':
      return modified(podOf(first));
    case 'D':
      return deleted(podOf(first));
    case 'B':
      return bookmark(first);
    default: {
      const isMissing = type.endsWith('!');
      const list = listed(
        words.filter((word) => !isMissing || word.includes('@')).map(podOf),
        type.slice(1).replace('!', ''),
      );
      const missing = words.filter((word) => !word.includes('@')).map((name) => `web/${name}`);
      return isMissing ? { ...list, missing } : list;
    }
  }
}

export function spellEvent(event: WatchEvent<Pod>): string {
  const partition = event.partition === undefined ? '' : `${event.partition}:`;
  switch (event.type) {
    case 'LISTED': {
      const missing = (event.missing ?? []).map((key) => key.slice('web/'.length));
      return `${partition}${[`L${event.resourceVersion}${event.missing ? '!' : ''}`, ...event.items.map(spell), ...missing].join(' ')}`;
    }
    case 'BOOKMARK':
      return `${partition}B ${event.resourceVersion}`;
    case 'STATUS':
      return event.status.state;
    case 'ERROR':
      return event.error.name;
    default:
      return `${partition}${event.type[0] ?? ''} ${spell(event.object)}`;
  }
}

/**
 * Returns an overlaid source, and what its subscriber has received, one line for each batch. The
 * clock does not advance.
 */
export function overlaidScript(options: OverlayOptions<Pod> = {}) {
  const source = new Subject<readonly WatchEvent<Pod>[]>();
  const overlaid = overlay(source, { scheduler: new VirtualTimeScheduler(), ...options });
  const told: string[] = [];
  const subscription = overlaid.subscribe((batch) => told.push(batch.map(spellEvent).join(', ')));
  return {
    source,
    overlaid,
    told,
    subscription,
    /**
     * Plays lines such as `show a@5`, `gone a@5`, or a batch: `A a@4, B 5`. Returns the emissions
     * that they caused.
     */
    play(...lines: readonly string[]): readonly string[] {
      const before = told.length;
      for (const line of lines) {
        const [verb, spelled = ''] = line.split(' ');
        if (verb === 'show') overlaid.show(podOf(spelled));
        else if (verb === 'gone') overlaid.showDeleted(podOf(spelled));
        else source.next(line.split(', ').map(readEvent));
      }
      return told.slice(before);
    },
  };
}
