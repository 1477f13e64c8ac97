import type { ServerResponse } from 'node:http';
import type { KubernetesStatus } from 'rx-informers';
import { dataHeaders } from './protective-headers.js';

/** An answer of this server itself, where there is none of the API server. */
export interface Failure {
  readonly code: keyof typeof reasons;
  readonly message: string;
}

/** As apimachinery names them; it has no name for 502. */
const reasons = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  500: 'InternalError',
  502: 'BadGateway',
  504: 'Timeout',
} as const;

/** Answers with a Kubernetes `Status`; where an answer has begun already, breaks it off. */
export function answerWithFailure(response: ServerResponse, { code, message }: Failure): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status: KubernetesStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    reason: reasons[code],
    code,
  };
  const body = Buffer.from(`${JSON.stringify(status)}\n`);
  response.writeHead(code, {
    ...dataHeaders,
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(code === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(body);
}
