import { informerTest } from 'rx-informers/testing';
import { EMPTY } from 'rxjs';
import { pictures } from './pictures.js';

describe('the pictures in docs/marbles', () => {
  it.each(pictures.map((picture) => [picture.code, picture] as const))(
    'show what %s emits',
    (_code, { inputs, output, run }) => {
      informerTest((helpers) => {
        const [first = EMPTY, second = EMPTY] = inputs.map(({ marbles, values }) =>
          helpers.hot<never>(marbles, values as Readonly<Record<string, never>>),
        );
        helpers.expectObservable(run(first, helpers, second)).toBe(output.marbles, output.values);
      });
    },
  );

  it('have different names', () => {
    expect(new Set(pictures.map(({ name }) => name)).size).toBe(pictures.length);
  });
});
