import { overlay, type OverlayOptions } from 'rx-informers/controller';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { Subject, VirtualTimeScheduler } from 'rxjs';
import { podOf, type Pod } from '../../fixtures/pods.js';
import { describeEvent } from './timeline.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

/**
 * Reads what `describeEvent` writes: `LISTED 3(a@1 b@2)`, `ADDED(a@4)`, `MODIFIED(a@5)`,
 * `DELETED(a@6)`, `BOOKMARK 7`. In `LISTED 3(b@2) without web/a` an object is missing.
 * `east:ADDED(a@4)` has a partition.
 */
export function readEvent(text: string): WatchEvent<Pod> {
  const [, partition, content = ''] = /^(?:(\w+):)?(.*)$/.exec(text) as RegExpExecArray;
  const event = eventOf(content);
  return partition === undefined ? event : { ...event, partition };
}

function eventOf(content: string): WatchEvent<Pod> {
  const [, type = '', version = '', pods = '', missing] =
    /^([A-Z]+) ?(\w*)(?:\((.*)\))?(?: without (.+))?$/.exec(content) ?? [];
  switch (type) {
    case 'ADDED':
      return added(podOf(pods));
    case 'MODIFIED':
      return modified(podOf(pods));
    case 'DELETED':
      return deleted(podOf(pods));
    case 'BOOKMARK':
      return bookmark(version);
    case 'LISTED': {
      const list = listed(pods === '' ? [] : pods.split(' ').map(podOf), version);
      return missing === undefined ? list : { ...list, missing: missing.split(' ') };
    }
    default:
      throw new Error(`${content} is not an event`);
  }
}

/**
 * Returns an overlaid source, and what its subscriber has received, one line for each batch. The
 * clock does not advance.
 */
export function overlaidScript(options: OverlayOptions<Pod> = {}) {
  const source = new Subject<readonly WatchEvent<Pod>[]>();
  const overlaid = overlay(source, { scheduler: new VirtualTimeScheduler(), ...options });
  const seen: string[] = [];
  const subscription = overlaid.subscribe((batch) => seen.push(batch.map(describeEvent).join(', ')));
  return {
    source,
    overlaid,
    received: seen,
    subscription,
    /**
     * Plays lines such as `show a@5`, `gone a@5`, or a batch: `ADDED(a@4), BOOKMARK 5`. Returns the
     * emissions that they caused.
     */
    play(...lines: readonly string[]): readonly string[] {
      const before = seen.length;
      for (const line of lines) {
        const [verb, written = ''] = line.split(' ');
        if (verb === 'show') overlaid.show(podOf(written));
        else if (verb === 'gone') overlaid.showDeleted(podOf(written));
        else source.next(line.split(', ').map(readEvent));
      }
      return seen.slice(before);
    },
  };
}
