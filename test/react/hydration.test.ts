/** @jest-environment ./test/react/support/browser-environment.js */
import { act } from '@testing-library/react';
import { hydrateRoot } from 'react-dom/client';
import { expectComplaints } from './support/console-errors.js';
import { everything, htmlOfEverything } from './support/everything.js';

describe('a page that comes from a server', () => {
  it('begins in the browser as it is, and then shows what there is', async () => {
    const { content, scheduler, lists, told } = everything();
    const container = document.createElement('div');
    container.innerHTML = htmlOfEverything;
    const root = await act(async () => hydrateRoot(container, content));
    await act(async () => scheduler.advance(100));
    expect(container.textContent).toBe('2 2 3 a 3 true watching');
    expect([lists.count, told]).toEqual([1, ['initial']]);
    await act(async () => root.unmount());
  });

  it('shows what there is also where the server showed something else', async () => {
    expectComplaints();
    const { content, scheduler, lists } = everything();
    const container = document.createElement('div');
    container.innerHTML = '<!--$-->something else<!--/$-->';
    const root = await act(async () => hydrateRoot(container, content, { onRecoverableError: () => undefined }));
    await act(async () => scheduler.advance(100));
    expect([container.textContent, lists.count]).toEqual(['2 2 3 a 3 true watching', 1]);
    await act(async () => root.unmount());
  });
});
