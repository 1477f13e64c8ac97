import { BehaviorSubject, map, Subscription, type SchedulerLike } from 'rxjs';
import type { FeedEntry, PartMessage } from '../feeds/feed-messages.js';
import type { FeedContent } from '../feeds/feed.js';
import { jsonText } from '../kubernetes/json-text.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { emptyWindow, type View } from '../views/window/window-rows.js';
import { window$ } from '../views/window/window.js';
import { windowOptionsOf, type WindowRequest } from './window-request.js';

/**
 * Sends the rows of one window to a viewer. While the viewer has not acknowledged a message,
 * nothing is sent, and only the latest view is kept. So a slow viewer skips views.
 */
export class WindowFeed {
  readonly #request: BehaviorSubject<WindowRequest>;
  readonly #subscription = new Subscription();
  #sent: ReadonlyMap<string, KubernetesObject> = new Map();
  #latest: View<KubernetesObject> = emptyWindow;
  #isWaiting = false;
  #owed = 0;

  constructor(
    private readonly content: FeedContent,
    request: WindowRequest,
    private readonly viewer: { readonly id: number; readonly post: (message: PartMessage) => void },
    private readonly scheduler: SchedulerLike,
  ) {
    this.#request = new BehaviorSubject(request);
  }

  get owed(): number {
    return this.#owed;
  }

  open(): void {
    const options$ = this.#request.pipe(map(windowOptionsOf));
    this.#subscription.add(
      window$(this.content.changes$, options$, this.scheduler).subscribe((view) => {
        this.#latest = view;
        this.#isWaiting = true;
        this.#flush();
      }),
    );
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  taken(amount: number): void {
    this.#owed -= amount;
    this.#flush();
  }

  /** Moves, sorts or filters the window. */
  show(request: WindowRequest): void {
    this.#request.next(request);
  }

  sendContact(): void {
    // A window has no bookmarks.
  }

  #flush(): void {
    if (!this.#isWaiting || this.#owed > 0 || this.#subscription.closed) return;
    this.#isWaiting = false;
    const { rows, keys, total, offset } = this.#latest;
    const before = this.#sent;
    const changed = rows.filter((object, index) => before.get(keys[index] ?? '') !== object);
    this.#sent = new Map(rows.map((object, index) => [keys[index] ?? '', object]));
    const text = `[${changed.map((object): string => jsonText({ object } satisfies FeedEntry)).join()}]`;
    this.#owed += text.length;
    const end = { reason: 'watch', resourceVersion: '', rows: { keys, offset, total } } as const;
    this.viewer.post({ type: 'part', id: this.viewer.id, text, total: changed.length, end });
  }
}
