import { createRequestListener } from '@react-router/node';
import { createReadStream } from 'node:fs';
import { createServer, request } from 'node:http';
import * as build from './dist/server/index.js';

// Serves the built app. Forwards API requests to the address in the first argument. Prints its own
// address.
const api = process.argv[2];
const render = createRequestListener({ build });
const folder = new URL('./dist/client', import.meta.url);

const server = createServer((incoming, response) => {
  if (incoming.url.startsWith('/api')) {
    const passed = request(
      `${api}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    incoming.pipe(passed);
  } else if (/^\/assets\/[\w.-]+$/.test(incoming.url)) {
    const type = incoming.url.endsWith('.js') ? 'text/javascript' : 'application/octet-stream';
    response.writeHead(200, { 'content-type': type });
    createReadStream(`${folder.pathname}${incoming.url}`).pipe(response);
  } else {
    render(incoming, response);
  }
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`);
});
