import type { KubeClient, listWatch, Resource } from 'rx-informers';
import { latestSource } from 'rx-informers/client';
import { defer, map, retry, shareReplay, switchMap, timer } from 'rxjs';
import type { ReadingOptions } from './hub-reading.js';

/** Milliseconds until the code for the hub is requested again. */
const retryAfter = 2000;

/**
 * Returns a `listWatch` for a server with a sign-in, which may have a hub. The code for the hub is
 * loaded when the first source is subscribed to, so other servers do not pay for it.
 */
export function teamListWatch(client: KubeClient): typeof listWatch {
  const reading$ = defer(async () => import('./hub-reading.js')).pipe(
    retry({ delay: () => timer(retryAfter) }),
    map(({ hubReading }) => hubReading(client)),
    shareReplay({ bufferSize: 1, refCount: false }),
  );
  const read = (of: KubeClient, resource: Resource<unknown>, options: ReadingOptions = {}) =>
    latestSource(reading$.pipe(switchMap((reading) => reading.sources(resource, options))), { resource, client: of });
  return read;
}
