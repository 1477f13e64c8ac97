import fc from 'fast-check';
import { randomCommits, randomOf } from './support/random.js';
import { RandomGraph } from './support/random-graph.js';

const stepsOfGraph = 40;
/** Fewer than of one operator, because all collections of a graph are computed the long way after each. */
const commitsOfGraphs = randomCommits / 4;

it(`J1, J2: in random graphs, ${commitsOfGraphs} commits never show two collections of different versions`, () => {
  let committed = 0;
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.nat(), { minLength: stepsOfGraph, maxLength: stepsOfGraph, size: 'max' }),
      (shape, history) => {
        const graph = new RandomGraph(randomOf(shape));
        for (const seed of history) {
          graph.step(randomOf(seed));
          graph.checkSubscribers();
        }
        graph.finish();
        committed += graph.commits;
      },
    ),
    { numRuns: Math.ceil(commitsOfGraphs / stepsOfGraph), endOnFailure: false },
  );
  expect(committed).toBeGreaterThan(commitsOfGraphs / 2);
});
