import type { KubernetesObject, SourceStatus } from 'rx-informers';
import type { WatchEvent } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { asyncScheduler, takeUntil, timer, type Observable } from 'rxjs';
import { spell } from '../../fixtures/pods.js';

/**
 * Returns the emissions of a source until `until` (milliseconds), one text for each batch:
 * `time: event event …`.
 *
 * Events are written as `ADDED(a@1)`, `LISTED 10(a@1 b@2)`, `BOOKMARK 11` and
 * `ERROR RXI_STATUS 410`. A status is written as its name.
 */
export function timeline(source: () => Observable<readonly WatchEvent<KubernetesObject>[]>, until: number): string[] {
  const seen: string[] = [];
  informerTest(
    ({ flush }) => {
      source()
        .pipe(takeUntil(timer(until)))
        .subscribe((batch) => seen.push(`${asyncScheduler.now()}: ${batch.map(describeEvent).join(' ')}`));
      flush();
    },
    { until: Infinity },
  );
  return seen;
}

/** Returns the result of `timeline` without the status events. */
export function dataTimeline(
  source: () => Observable<readonly WatchEvent<KubernetesObject>[]>,
  until: number,
): string[] {
  return timeline(source, until)
    .map((text) => text.replace(/ ?<[^>]*>/g, ''))
    .filter((text) => !/^\d+:$/.test(text));
}

export function describeEvent(event: WatchEvent<KubernetesObject>): string {
  const partition = event.partition === undefined ? '' : `${event.partition}:`;
  return `${partition}${describeContent(event)}`;
}

function describeContent(event: WatchEvent<KubernetesObject>): string {
  switch (event.type) {
    case 'LISTED': {
      const missing = event.missing === undefined ? '' : ` without ${event.missing.join(' ')}`;
      return `LISTED ${event.resourceVersion}(${event.items.map(spell).join(' ')})${missing}`;
    }
    case 'BOOKMARK':
      return `BOOKMARK ${event.resourceVersion}`;
    case 'ERROR':
      return `ERROR ${event.error.code}${detailOf(event.error)}`;
    case 'STATUS':
      return `<${describeStatus(event.status)}>`;
    default:
      return `${event.type}(${spell(event.object)})`;
  }
}

function describeStatus(status: SourceStatus): string {
  switch (status.state) {
    case 'listing':
      return `listing by ${status.by} ${status.received}${status.expected === undefined ? '' : `/${status.expected}`}`;
    case 'watching':
      return `watching ${status.resourceVersion}`;
    case 'reconnecting':
    case 'stopped':
      return status.state;
    default:
      return `${status.state} until ${status.until} attempt ${status.attempt}`;
  }
}

/** Returns the HTTP status of an error or the error code of the system. */
function detailOf(error: object): string {
  const { statusCode, causeCode } = error as { readonly statusCode?: number; readonly causeCode?: string };
  const detail = statusCode ?? causeCode;
  return detail ? ` ${detail}` : '';
}
