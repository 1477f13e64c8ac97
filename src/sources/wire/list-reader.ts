import { createByteAccumulator, decodeJson } from './bytes.js';
import { fieldsOf, type ListEnvelope, readListEnvelope } from './list-envelope.js';
import { parsedText } from './parsing-scanner.js';
import type { ScannedText } from './scanner.js';
import type { ListSplitter, ListSplitterOptions } from './split-list.js';

let createSplitter: ((options: ListSplitterOptions) => ListSplitter) | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the code that splits a list while it is received, a chunk of its own in a bundle. Programs
 * that read streaming lists only do not load it. If it does not load, the next list tries again.
 */
export function loadListSplitter(): Promise<void> {
  return (loading ??= import('./split-list.js').then(
    ({ createListSplitter }) => {
      createSplitter = createListSplitter;
    },
    () => {
      loading = undefined;
    },
  ));
}

/** Reads a list: in parts if the splitter is loaded, and at its end otherwise. */
export interface ListReader {
  /**
   * Calls `receive` with each item that is complete. The argument is valid until `receive` returns.
   *
   * @throws `RXI_WIRE` if the bytes are not a list
   */
  push(bytes: Uint8Array, receive: (item: ScannedText) => void): void;
  /**
   * Calls `receive` with all remaining items, and returns the list without its items.
   *
   * @throws `RXI_WIRE` if the document is cut off
   */
  end(receive: (item: ScannedText) => void): ListEnvelope;
}

/**
 * Creates a reader for one list. The first call begins to load the splitter. Until it is loaded,
 * bytes are kept. A list that is complete before is parsed whole: the result is the same, but a
 * long list then blocks the event loop.
 */
export function createListReader(options: ListSplitterOptions): ListReader {
  void loadListSplitter();
  const received = createByteAccumulator();
  let splitter: ListSplitter | undefined;
  return {
    push(bytes, receive) {
      splitter ??= createSplitter?.(options);
      if (splitter === undefined) {
        received.append(bytes);
        return;
      }
      if (received.length > 0) splitter.push(received.take(), receive);
      splitter.push(bytes, receive);
    },
    end(receive) {
      if (splitter !== undefined) return splitter.end();
      const list = decodeJson(received.peek());
      const { items } = fieldsOf(list);
      if (Array.isArray(items)) for (const item of items) receive(parsedText(item));
      return readListEnvelope(list, Array.isArray(items) || items === null);
    },
  };
}
