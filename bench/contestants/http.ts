import { Agent, get as httpGet, request as httpRequest, type IncomingMessage } from 'node:http';

const agent = new Agent({ keepAlive: true });
const NEWLINE = 0x0a;

export function get(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpGet(url, { agent }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${url} answers ${response.statusCode}`));
    }).on('error', reject);
  });
}

export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/**
 * Calls `line` for each complete line, within the callback that reads the line. Resolves at the end
 * of the response.
 */
export function readLines(response: IncomingMessage, line: (text: string) => void): Promise<void> {
  let rest: Buffer[] = [];
  response.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (rest.length === 0) {
        line(chunk.toString('utf8', start, end));
      } else {
        line(Buffer.concat([...rest, chunk.subarray(start, end)]).toString());
        rest = [];
      }
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  });
  return new Promise((resolve, reject) => {
    response.on('end', resolve).on('error', reject);
  });
}

/** Tells the server that the client is ready for the events of its watch. */
export function letServerStart(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    httpRequest(`${url}/bench/start`, { method: 'POST' }, (response) => {
      response.resume().on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
}
