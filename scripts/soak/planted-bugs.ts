/** A defect that the soak must find: a replacement in one file of the library. */
export interface PlantedBug {
  readonly name: string;
  /** Matches a sentence that the soak must print. */
  readonly symptom: RegExp;
  readonly file: string;
  /** A text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** Each of them leads to wrong answers without an error, and most only after a fault. */
export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'an object and its successor of the same name count as one',
    symptom: /contradicts itself/,
    file: 'src/kubernetes/object.ts',
    find: 'uid === undefined || otherUid === undefined ? undefined : uid === otherUid',
    replace: "uid === undefined || otherUid === undefined ? undefined : otherUid !== ''",
  },
  {
    name: 'one of 2,000 events is dropped',
    symptom: / lacks | skips a generation /,
    file: 'src/store/stages.ts',
    find: `      const delta = eventToDelta(event, keyOf);
      if (delta !== undefined) deltas.push(delta);`,
    replace: `      const delta = eventToDelta(event, keyOf);
      const scope = globalThis as { eventsOfTheSoak?: number };
      scope.eventsOfTheSoak = (scope.eventsOfTheSoak ?? 0) + 1;
      if (delta !== undefined && scope.eventsOfTheSoak % 2_000 !== 0) deltas.push(delta);`,
  },
  {
    name: 'a watch resumes five versions too late',
    symptom: / lacks | skips a generation /,
    file: 'src/sources/reflector/step-watch.ts',
    find: '        if (isOrdered) resourceVersion = event.resourceVersion;',
    replace: '        if (isOrdered) resourceVersion = String(Number(event.resourceVersion) + 5);',
  },
  {
    name: 'a silent watch is never given up',
    symptom: / lacks /,
    file: 'src/sources/reflector/step-watch.ts',
    find: '      return overdue(context, state);',
    replace: '      return stay(state);',
  },
  {
    name: 'a joined row keeps a right object that was deleted',
    symptom: /collections: leftJoin/,
    file: 'src/derived/left-join.ts',
    find: '    for (const key of right.keys) {',
    replace: '    for (const key of right.keys.filter((changed) => right.current.has(changed))) {',
  },
  {
    name: 'a group keeps counting objects that were deleted',
    symptom: /collections: groupBy/,
    file: 'src/derived/group-by.ts',
    find: '      if (this.#isUnchanged(key, previous, current)) return;',
    replace: '      if (this.#isUnchanged(key, previous, current) || !current.has(key)) return;',
  },
  {
    name: 'a history has no additions',
    symptom: /collections: history/,
    file: 'src/history/version-log.ts',
    find: '    this.#versions.at(-1)?.note(key, before, after);',
    replace: '    if (before !== undefined) this.#versions.at(-1)?.note(key, before, after);',
  },
  {
    name: 'a page does not learn what the shared worker deletes',
    symptom: /shared worker/,
    file: 'src/feeds/received-feed.ts',
    find: "    if (last !== undefined) this.#changes.push({ type: 'DELETED', object: last });",
    replace: "    if (last === undefined) this.#changes.push({ type: 'DELETED', object: held as T });",
  },
  {
    name: 'a row of a window does not move when its column changes',
    symptom: /collections: window\$/,
    file: 'src/views/window/sorted-rows.ts',
    find: '    if (row && areSameKeys(row.sortKeys, next.sortKeys)) {',
    replace: '    if (row) {',
  },
  {
    name: 'a handler is not called for deletions that a list shows',
    symptom: /addEventHandler/,
    file: 'src/collections/add-event-handler.ts',
    find: "      guard('onDelete', () =>",
    replace: "      if (!change.finalStateUnknown) guard('onDelete', () =>",
  },
  {
    name: 'a replica takes a lease that another one holds',
    symptom: /lead at the same time/,
    file: 'src/controller/lease/lease-protocol.ts',
    find: '  if (config.isOurs(lease) || (!wasOwn && isTakeable(config, seen, request.sent.at))) return unchanged(next);',
    replace: '  if (config.isOurs(lease) || !wasOwn) return unchanged(next);',
  },
];
