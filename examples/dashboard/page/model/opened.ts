/** The object in the drawer. */
export interface Opened {
  readonly kind: 'Pod' | 'Node';
  /** As the informer stores it. */
  readonly key: string;
}
