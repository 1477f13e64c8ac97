import { readFileSync } from 'node:fs';
import { defer, type Observable } from 'rxjs';
import { replay, type ReplayOptions } from '../../sources/recording/replay.js';
import type { WatchEventBatch } from '../../sources/watch-event.js';

/**
 * `replay` of a file that `record` wrote; it is read when somebody subscribes.
 *
 * **Errors**: those of `replay`, and of reading the file.
 *
 * @example
 * const pods = informer(replayFile('pods.ndjson', { speed: Infinity }));
 */
export function replayFile<T>(file: string, options: ReplayOptions = {}): Observable<WatchEventBatch<T>> {
  return defer(() => replay<T>(readFileSync(file, 'utf8'), options));
}
