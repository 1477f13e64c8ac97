import { exportGroups } from '../scripts/export-groups.js';

describe('the groups of an entry point', () => {
  it('begin with a comment, and the group with informer is the first one', () => {
    const source = `/** The entry. */

// Sources: the API server → watch events
export { listWatch } from './list-watch.js';
export type { Source } from './source.js';

// Informers: all together,
// shared
export { informer, type Informer } from './informer.js';
`;
    expect(exportGroups(source)).toEqual([
      { title: 'Informers', names: ['informer', 'Informer'], files: [] },
      { title: 'Sources', names: ['listWatch', 'Source'], files: [] },
    ]);
  });

  it('have the names of namespaces, renamed exports and whole files', () => {
    const source = `export {
  a as b,
  type C,
} from './a.js';
/** Faults. */
export * as faults from './faults.js';
export * from './all.js';
`;
    expect(exportGroups(source)).toEqual([{ title: '', names: ['b', 'C', 'faults'], files: ['./all.js'] }]);
  });
});
