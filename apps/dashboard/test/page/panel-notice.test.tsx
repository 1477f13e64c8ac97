/** @jest-environment ./test/page/support/browser-environment.js */
import { screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createInMemoryApiServer, serverFaults, virtualClock } from 'rx-informers/testing';
import { useLiveNodes } from '../../page/cluster/informers.js';
import { PanelNotice } from '../../page/cluster/panel-notice.js';
import './support/console-errors.js';
import { open } from './support/page.js';

function Notice(): ReactNode {
  return <PanelNotice informer={useLiveNodes()} what="nodes" />;
}

describe('a kind that the user may not read', () => {
  it.each([
    [403, 'nodes is forbidden: User "alice" cannot list nodes', 'nodes: no permission.'],
    [401, 'Unauthorized', 'nodes: expired credentials.'],
  ])('is explained in words, without the address of a request: %d', async (code, message, words) => {
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({ scheduler });
    server.faults.always(() => true, serverFaults.respond(code, { message }));
    const page = open(<Notice />, { client: server.client, scheduler });
    await waitFor(async () => {
      await page.pass(100);
      expect(screen.getByRole('alert').textContent).toContain(words);
    });
    const text = screen.getByRole('alert').textContent;
    expect(text).toContain(`The API server says: ${message}`);
    expect(text).not.toMatch(/GET|\/api\/|\?/);
  });
});
