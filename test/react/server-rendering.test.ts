import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { version } from 'react';
import { version as versionOfDom } from 'react-dom';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import './support/console-errors.js';
import { everything, htmlOfEverything } from './support/everything.js';

describe('rendering on a server', () => {
  it('shows the empty state, starts nothing, and leaves nothing behind', () => {
    const { content, scheduler, requests, received } = everything();
    expect(renderToString(content)).toBe(htmlOfEverything);
    expect([requests.open, scheduler.timers, received]).toEqual([0, 0, []]);
  });

  it('is the same if it is streamed', async () => {
    const { content, scheduler, requests, received } = everything();
    const streamed = new PassThrough();
    renderToPipeableStream(content).pipe(streamed);
    expect(await text(streamed)).toContain('0 0 0 none 0 false stopped');
    expect([requests.open, scheduler.timers, received]).toEqual([0, 0, []]);
  });
});

/** The React version in the configuration of these tests. */
const { reactVersion = '19' } = globalThis as { readonly reactVersion?: string };

describe('the tests of rx-informers/react', () => {
  it('run on the React version that they are meant for', () => {
    expect([version, versionOfDom].filter((text) => !text.startsWith(`${reactVersion}.`))).toEqual([]);
  });
});
