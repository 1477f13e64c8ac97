import { createServer } from 'node:http';
import { Observable } from 'rxjs';
import type { Registry } from 'prom-client';

/** Serves a registry at `/metrics`, and `/healthz`, while subscribed; emits the port once it listens. */
export function metricsServer(
  registry: Registry,
  options: { readonly port: number; readonly isHealthy: () => boolean },
): Observable<number> {
  return new Observable((subscriber) => {
    const server = createServer((request, response) => {
      if (request.url === '/metrics') {
        registry.metrics().then(
          (text) => response.setHeader('content-type', registry.contentType).end(text),
          () => response.writeHead(500).end(),
        );
        return;
      }
      response.writeHead(request.url === '/healthz' ? (options.isHealthy() ? 200 : 503) : 404).end();
    });
    server.on('error', (error) => {
      subscriber.error(error);
    });
    server.listen(options.port, () => {
      const address = server.address();
      subscriber.next(typeof address === 'object' && address !== null ? address.port : options.port);
    });
    return () => {
      server.close();
      server.closeAllConnections();
    };
  });
}
