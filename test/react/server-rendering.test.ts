import { renderToString } from 'react-dom/server';
import './support/console-errors.js';
import { everything, htmlOfEverything } from './support/everything.js';

describe('rendering on a server', () => {
  it('shows the empty state, starts nothing, and leaves nothing behind', () => {
    const { content, scheduler, requests, told } = everything();
    expect(renderToString(content)).toBe(htmlOfEverything);
    expect([requests.open, scheduler.actions.length, told]).toEqual([0, 0, []]);
  });
});
