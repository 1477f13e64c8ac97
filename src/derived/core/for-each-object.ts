import { forEachInSlices, type Slices } from '../../scheduling/slices.js';
import type { Derivation, InputChanges, Rows, Versions } from './derivation.js';

/** Calls a function for each changed object. The function sets only the rows of that object. */
export class ForEachObject<T, R> implements Derivation<readonly [T], R> {
  constructor(private readonly setRows: (key: string, object: T | undefined, rows: Rows<R>) => void) {}

  *fill([objects]: Versions<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(objects.keys(), (key) => {
      this.setRows(key, objects.get(key), rows);
    });
  }

  *update([{ current, keys }]: InputChanges<readonly [T]>, rows: Rows<R>): Slices<void> {
    yield* forEachInSlices(keys, (key) => {
      this.setRows(key, current.get(key), rows);
    });
  }
}
