import type { SeenPod } from './client.js';
import { get, readLines, readText } from './http.js';

export type LoopPod = SeenPod & { readonly metadata: { readonly name: string; readonly namespace: string } };

/** Callbacks for lists and events. */
interface Sink {
  readonly listBegins?: () => void;
  readonly item?: (pod: LoopPod) => void;
  readonly listed: () => void;
  /** Called for any event of the watch, including bookmarks and errors. */
  readonly event?: (type: string, pod: LoopPod) => void;
}

interface ListPage {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly LoopPod[];
}

interface WatchLine {
  readonly type: string;
  readonly object: LoopPod;
}

const PAGE_SIZE = 500;
const END_OF_LIST = 'k8s.io/initial-events-end';

/**
 * Lists and watches, and repeats both when the watch ends. This is the shortest loop that is
 * correct as long as no request fails. Never returns.
 */
export async function followPods(url: string, initialList: 'pages' | 'stream', sink: Sink): Promise<never> {
  const resource = `${url}/api/v1/pods`;
  for (;;) {
    sink.listBegins?.();
    if (initialList === 'stream') {
      await readStream(resource, sink);
    } else {
      await readWatch(`${resource}?watch=true&resourceVersion=${await readPages(resource, sink)}`, sink);
    }
  }
}

async function readPages(resource: string, sink: Sink): Promise<string> {
  for (let token: string | undefined = ''; ;) {
    const continuation: string = token === '' ? '' : `&continue=${token}`;
    const response = await get(`${resource}?limit=${PAGE_SIZE}${continuation}`);
    const { metadata, items } = JSON.parse(await readText(response)) as ListPage;
    if (sink.item !== undefined) items.forEach(sink.item);
    token = metadata.continue;
    if (token === undefined) {
      sink.listed();
      return metadata.resourceVersion;
    }
  }
}

async function readWatch(url: string, sink: Sink): Promise<void> {
  await readLines(await get(url), (line) => {
    const { type, object } = JSON.parse(line) as WatchLine;
    sink.event?.(type, object);
  });
}

async function readStream(resource: string, sink: Sink): Promise<void> {
  let isListed = false;
  const response = await get(`${resource}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
  await readLines(response, (line) => {
    const { type, object } = JSON.parse(line) as WatchLine;
    if (isListed) {
      sink.event?.(type, object);
    } else if (object.metadata.annotations?.[END_OF_LIST] === 'true') {
      isListed = true;
      sink.listed();
    } else {
      sink.item?.(object);
    }
  });
}
