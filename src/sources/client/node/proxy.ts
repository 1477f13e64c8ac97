import { type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as httpsRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import { idleTimeout } from './http1.js';

/** The timeout for the answer of a proxy to CONNECT, in milliseconds. */
const connectTimeout = 10_000;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case, by the rules of Go
 * (`golang.org/x/net/http/httpproxy`), which kubectl follows. Loopback addresses never use a proxy.
 * `HTTP_PROXY` is ignored in a CGI program, where a request header can set it.
 *
 * @returns a function that returns the proxy for a server
 */
export function environmentProxies(env: NodeJS.ProcessEnv): (server: URL) => string | undefined {
  const read = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;
  const proxies = { 'https:': read('HTTPS_PROXY'), 'http:': env['REQUEST_METHOD'] ? undefined : read('HTTP_PROXY') };
  const isExcluded = readNoProxy(read('NO_PROXY') ?? '');
  return ({ protocol, hostname, port }) => {
    const proxy = proxies[protocol as keyof typeof proxies];
    const host = hostname.replace(/^\[|\]$/g, '');
    const isDirect = host === 'localhost' || isOf(loopback, host);
    if (proxy === undefined || isDirect || isExcluded(host, port || (protocol === 'https:' ? '443' : '80'))) return;
    return proxy;
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isOf(addresses: BlockList, host: string): boolean {
  const version = isIP(host);
  return version > 0 && addresses.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

function readNoProxy(noProxy: string): (host: string, port: string) => boolean {
  const entries = noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim());
  if (entries.includes('*')) return () => true;
  const matchers = entries.filter(Boolean).map(matcherOf);
  return (host, port) => matchers.some((matches) => matches(host, port));
}

/** Reads one entry: a CIDR, or an address or a domain, each with or without a port. */
function matcherOf(entry: string): (host: string, port: string) => boolean {
  const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const [, bracketed, plain = entry, only = ''] = /^(?:\[([^\]]*)\]|([^:]*)):(\w*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain;
  const [address, version] = bits === '' ? [name, isIP(name)] : [network, isIP(network)];
  const longest = version === 4 ? 32 : 128;
  const isOnPort = (port: string): boolean => only === '' || only === port;
  if (version > 0 && Number(bits) <= longest) {
    const addresses = new BlockList();
    addresses.addSubnet(address, bits === '' ? longest : Number(bits), version === 4 ? 'ipv4' : 'ipv6');
    return (host, port) => isOf(addresses, host) && isOnPort(port);
  }
  const domain = name.replace(/^\*\./, '.');
  const suffix = `.${domainToASCII(domain.replace(/^\./, ''))}`;
  if (suffix === '.') return () => false;
  const isExact = (host: string): boolean => !domain.startsWith('.') && `.${host}` === suffix;
  return (host, port) => (isExact(host) || host.endsWith(suffix)) && isOnPort(port);
}

/** Parses the address of a proxy; `host:port` means `http://host:port`. */
export function proxyUrl(proxy: string): URL {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const shown = url === undefined ? 'not a URL' : `${url.protocol}//${url.host}`;
  throw new Error(
    `the proxy is ${shown}: only http:// and https:// proxies are supported in HTTPS_PROXY and HTTP_PROXY`,
  );
}

/** Returns the options for a request that a proxy forwards to a server without TLS. */
export function forwarding(
  proxy: URL,
  server: URL,
): { readonly [name: string]: unknown; headers: OutgoingHttpHeaders } {
  return { ...addressOf(proxy), headers: { host: server.host, ...authorization(proxy) } };
}

/** Connects to servers with TLS, each through a tunnel of its own: the proxy sees no request. */
export class TunnelAgent extends HttpsAgent {
  constructor(private readonly proxy: URL) {
    super({ keepAlive: true, timeout: idleTimeout });
  }

  override createConnection(
    options: RequestOptions,
    created?: (error: Error | null, socket: TLSSocket) => void,
  ): undefined {
    this.openTunnel(options, (error, socket) => created?.(error, socket as TLSSocket));
  }

  /**
   * @param opened receives a socket that has begun the TLS handshake with the server
   * @returns a function that aborts the request if the proxy has not answered yet
   */
  openTunnel(options: RequestOptions, opened: (error: Error | null, socket?: TLSSocket) => void): () => void {
    const target = `${options.host?.includes(':') ? `[${options.host}]` : options.host}:${options.port ?? 443}`;
    const { host, protocol } = this.proxy;
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
      ...addressOf(this.proxy),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorization(this.proxy) },
      agent: false,
      timeout: connectTimeout,
    });
    request.on('timeout', () => {
      request.destroy(new Error(`the proxy ${host} has not answered for ${connectTimeout} ms`));
    });
    request.on('error', opened);
    let hasAnswered = false;
    request.on('connect', ({ statusCode, statusMessage }, socket) => {
      hasAnswered = true;
      if (statusCode === 200) {
        socket.setTimeout(0);
        opened(null, super.createConnection({ ...options, socket } as RequestOptions) as TLSSocket);
      } else {
        socket.destroy();
        opened(new Error(`the proxy ${host} refused a tunnel to ${target}: ${statusCode} ${statusMessage}`));
      }
    });
    request.end();
    return () => {
      if (!hasAnswered) request.destroy();
    };
  }
}

function addressOf({ hostname, port, protocol }: URL): RequestOptions {
  const host = hostname.replace(/^\[|\]$/g, '');
  // Without a server name, Node would take that of the header `host`.
  return { hostname: host, port: port || (protocol === 'https:' ? 443 : 80), servername: isIP(host) ? '' : host };
}

function authorization({ username, password }: URL): OutgoingHttpHeaders {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}
