/*
 * The rooms of src, by house, in the order of the data flow. A room imports only from itself and
 * from rooms before it. The core knows nothing of the other houses, and these know nothing of each
 * other. docs/contributing/architecture.md explains why. oxlint and `npm run shape` read this list.
 */
export const houses = {
  core: [
    'kubernetes',
    'scheduling',
    'sources',
    'store',
    'queries',
    'operators',
    'collections',
    'requests',
    'informer',
    'derived',
    'history',
    'feeds',
    'shared-worker',
    'views',
    'hub',
    'react',
  ],
  controller: ['controller', 'manager', 'prometheus', 'opentelemetry'],
  testing: ['testing'],
  command: ['types'],
};

/** All rooms, in order. */
export const rooms = Object.values(houses).flat();

/**
 * Returns the rooms from which a room may not import: the later rooms of its house, and the other
 * houses, except the core.
 *
 * @param {string} room
 * @returns {readonly string[]}
 */
export function roomsOutOfReach(room) {
  const [house, own] = Object.entries(houses).find(([, each]) => each.includes(room)) ?? [];
  if (own === undefined) throw new Error(`scripts/project/rooms.js does not list ${room}`);
  const others = Object.entries(houses).flatMap(([name, each]) => (name === house || name === 'core' ? [] : each));
  return [...own.slice(own.indexOf(room) + 1), ...others];
}
