import { version } from 'react';
import { version as versionOfDom } from 'react-dom';

/** What the configuration says that these tests run on. */
const { reactVersion = '19' } = globalThis as { readonly reactVersion?: string };

describe('the tests of rx-informers/react', () => {
  it('run on the React that they are said to run on', () => {
    expect([version, versionOfDom].filter((text) => !text.startsWith(`${reactVersion}.`))).toEqual([]);
  });
});
