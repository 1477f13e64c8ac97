import { rootCause } from '../../../src/sources/client/status-error-response.js';

describe('rootCause', () => {
  const refused = new Error('connect ECONNREFUSED');

  it.each([
    ['an error without a cause', refused, refused],
    ['an error with a cause', new TypeError('fetch failed', { cause: refused }), refused],
    ['one error for each address', new AggregateError([refused, new Error('other')]), refused],
    ['both', new TypeError('fetch failed', { cause: new AggregateError([refused]) }), refused],
    ['no error at all', 'a string', 'a string'],
    ['nothing', undefined, undefined],
  ])('finds the root cause in %s', (_, error, expected) => {
    expect(rootCause(error)).toBe(expected);
  });

  it('stays with an error whose cause is only a word', () => {
    const error = new Error('failed', { cause: 'why' });

    expect(rootCause(error)).toBe(error);
  });
});
