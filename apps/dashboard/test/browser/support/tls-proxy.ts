import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { Page } from 'playwright-core';
import { certificateAuthority, signedBy } from '../../../../../test/sources/client/node/certificates.js';

/** A server that ends TLS in front of the dashboard of a team. */
export interface TlsProxy {
  readonly publicUrl: string;
  /** Sends all connections to the server at this URL. */
  forwardTo(url: string): void;
  close(): void;
}

/** Starts a server that ends TLS. Its certificate is valid for no browser. */
export async function startTlsProxy(): Promise<TlsProxy> {
  let target = 0;
  const server = createServer(await signedBy(await certificateAuthority(), 'localhost'), (socket) => {
    const onward = connect(target, '127.0.0.1');
    socket.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    publicUrl: `https://localhost:${(server.address() as AddressInfo).port}`,
    forwardTo(url) {
      target = Number(new URL(url).port);
    },
    close() {
      server.close();
    },
  };
}

/** Signs in to the dashboard of a team. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Your bearer token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
