/** The priority of what nobody gave one. */
export const defaultPriority = 0;

/** The priority of work that may wait: the objects of an initial list, resyncs of unchanged ones (−100, as controller-runtime). */
export const lowPriority = -100;
