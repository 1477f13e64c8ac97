/**
 * A value that lives outside of a view framework, as `useSyncExternalStore` of React takes it, and as Vue, Svelte, Solid and Angular are bound to
 * in a few lines.
 *
 * None of the three needs `this`.
 */
export interface ExternalStore<T> {
  /**
   * Calls `listener` after each change of the snapshot, until the function that is returned is called. What the snapshot became while
   * subscribing is not told: read it afterwards.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** The value now, the same until it changes. Throws what the stream failed with. */
  readonly getSnapshot: () => T;
  /** The value that a page is rendered with on a server, and begins with in a browser: nothing is subscribed to for it. */
  readonly getServerSnapshot: () => T;
}
